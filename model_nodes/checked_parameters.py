"""Parameters that models of handling ask for, and the checks on what the scenario gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import ParameterKind, ParameterRequest
from hetwin_core.ensemble.scene.hands import HandDescription

MOST = 1e9
"""More than any time, length or force that a model of handling has a use for."""


def number(name: str, default: float, unit: str, description: str) -> ParameterRequest:
    """An optional number of at least 0."""
    return ParameterRequest(name, ParameterKind.NUMBER, description, False, default, unit)


def objects(description: str) -> ParameterRequest:
    """Names of objects, or a tag; by default those that the scenario calls graspable."""
    return ParameterRequest(
        "objects", ParameterKind.ENTITIES, description, required=False, default="graspable"
    )


def read_numbers(
    requests: Iterable[ParameterRequest], parameters: Mapping[str, Any]
) -> dict[str, float]:
    """The numbers among the requested parameters, with their defaults where none is given.

    Raises:
        BadInput: if one is not a number from 0 to a thousand million.
    """
    wanted = [request for request in requests if request.kind is ParameterKind.NUMBER]
    return {r.name: _checked(r.name, parameters.get(r.name, r.default)) for r in wanted}


def _checked(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput("not a number", where=name, found=value, expected="a number of at least 0")
    if not 0 <= value <= MOST:
        raise BadInput(
            "number out of range",
            where=name,
            found=value,
            expected=f"a finite number of at least 0 and at most {MOST:g}",
        )
    return float(value)


def read_hand(parameters: Mapping[str, Any]) -> HandDescription:
    """The parameter ``hand``.

    Raises:
        BadInput: if it is missing, or not a hand's description.
    """
    given = parameters.get("hand")
    if isinstance(given, HandDescription):
        return given
    if not isinstance(given, Mapping):
        raise BadInput("not a hand", where="hand", found=given, expected="a hand of the scenario")
    fields: dict[str, Any] = {
        str(k): tuple(v) if isinstance(v, list | tuple) else v for k, v in given.items()
    }
    try:
        return HandDescription(**fields)
    except TypeError as error:
        raise BadInput(
            f"the hand's description cannot be used: {error}",
            where="hand",
            found=dict(given),
        ) from error
