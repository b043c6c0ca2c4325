"""Checks on what a scenario says of the main model's parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.description import Pose, Vector
from model_nodes.main_physics.world.transforms import pose_of


def pose(given: Any, where: str) -> Pose:
    """A pose."""
    values = [number(v, where) for v in listing(given, where)]
    expected = "seven numbers x y z, qw qx qy qz"
    if len(values) != 7:
        raise BadInput(f"has {len(values)} numbers", where=where, found=values, expected=expected)
    if sum(q * q for q in values[3:]) < 1e-12:
        raise BadInput("has no rotation", where=where, found=values, expected=expected)
    return pose_of(values)


def number(given: Any, where: str) -> float:
    """A finite number."""
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or not math.isfinite(given):
        raise BadInput("is not a number", where=where, found=given, expected="a finite number")
    return float(given)


def above_zero(given: Any, where: str, most: float = math.inf) -> float:
    """A number above 0."""
    value = number(given, where)
    if value <= 0:
        raise BadInput("is not positive", where=where, found=given, expected="a number above 0")
    if value > most:
        raise BadInput("is too much", where=where, found=given, expected=f"at most {most:g}")
    return value


def mapping(given: Any, where: str) -> Mapping[str, Any]:
    """Names with values."""
    if not isinstance(given, Mapping):
        raise BadInput("is not a mapping", where=where, found=given, expected="names with values")
    return given


def listing(given: Any, where: str) -> Sequence[Any]:
    """A list."""
    if not isinstance(given, list | tuple):
        raise BadInput("is not a list", where=where, found=given, expected="a list")
    return given


def vector(given: Any, where: str) -> Vector:
    """Three numbers."""
    values = [number(v, where) for v in listing(given, where)]
    if len(values) != 3:
        raise BadInput(
            f"has {len(values)} numbers", where=where, found=values, expected="three numbers"
        )
    return values[0], values[1], values[2]
