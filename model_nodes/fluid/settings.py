"""The parameters of a fluid in a cup, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import ParameterKind, ParameterRequest
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.checked_parameters import number, read_numbers
from model_nodes.fluid.balls import Kind, Substance

SOLVERS = ("cg", "newton")
REQUESTS = (
    ParameterRequest("cup", ParameterKind.ENTITY, "the hollow body, open along its z axis"),
    ParameterRequest(
        "particles", ParameterKind.INTEGER, "how many are in the cup at the start", False, 50
    ),
    ParameterRequest(
        "capacity", ParameterKind.INTEGER, "how many there may be; default: as at the start", False
    ),
    number("radius", 0.006, "m", "of a particle"),
    number("density", 1000.0, "kg/m3", "of a particle"),
    ParameterRequest(
        "kind",
        ParameterKind.TEXT,
        "points (three coordinates, without friction) or spheres (rigid bodies with rotation)",
        False,
        Kind.POINTS.value,
    ),
    number("friction", 0.02, "", "of spheres"),
    number("drag", 2.0, "1/s", "how fast the motion of points against the cup fades"),
    number("time_step", 0.005, "s", "longest step of the particles' physics"),
    ParameterRequest(
        "solver", ParameterKind.TEXT, "of contacts: cg (quick in piles) or newton", False, "cg"
    ),
    number("smoothing", 0.08, "s", "the cup's acceleration is fitted over this time"),
    ParameterRequest(
        "gravity", ParameterKind.VECTOR, "in the world", False, [0.0, 0.0, -9.81], "m/s2"
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """All parameters of the model; `gravity` is (3,) [m/s2]."""

    cup: str
    particles: int
    capacity: int
    substance: Substance
    smoothing_ns: int
    gravity: Floats


def read_settings(parameters: Mapping[str, Any]) -> Settings:
    """Check what the conductor resolved.

    Raises:
        BadInput: naming the parameter that cannot be used.
    """
    given = {r.name: parameters.get(r.name, r.default) for r in REQUESTS}
    numbers = read_numbers(REQUESTS, parameters)
    for name in ("radius", "density", "time_step"):
        if numbers[name] == 0.0:
            raise BadInput("is not above 0", where=name, found=0.0, expected="a number above 0")
    particles = _count(given["particles"], "particles", 0)
    capacity = max(particles, 1) if given["capacity"] is None else given["capacity"]
    kind = Kind(_choice(given["kind"], "kind", tuple(kind.value for kind in Kind)))
    substance = Substance(
        kind,
        numbers["radius"],
        numbers["density"],
        numbers["friction"],
        numbers["time_step"],
        _choice(given["solver"], "solver", SOLVERS),
        numbers["drag"] if kind is Kind.POINTS else 0.0,
    )
    return Settings(
        str(given["cup"]),
        particles,
        _count(capacity, "capacity", max(particles, 1)),
        substance,
        round(numbers["smoothing"] * 1e9),
        _gravity(given["gravity"]),
    )


def _count(given: Any, where: str, least: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        expected = f"a whole number of at least {least}"
        raise BadInput("is no possible count", where=where, found=given, expected=expected)
    return given


def _choice(given: Any, where: str, choices: tuple[str, ...]) -> str:
    if given not in choices:
        expected = ", ".join(choices)
        raise BadInput("is no such choice", where=where, found=given, expected=expected)
    return str(given)


def _gravity(given: Any) -> Floats:
    gravity = np.array(given, np.float64)
    if gravity.shape != (3,) or not np.isfinite(gravity).all():
        raise BadInput("is no vector", where="gravity", found=given, expected="three numbers")
    return gravity
