"""Values for the parameters that a model under test asks for, invented by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.conductor.start.parameters import entities_meant
from hetwin_core.ensemble.conformance.fixture import MODEL, hand_parameter
from hetwin_core.ensemble.conformance.result import Broken
from hetwin_core.ensemble.parameters import ParameterKind, ParameterRequest
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.layout import Entity

WORLD_FILE = ("worlds", "tabletop.sdf")


def values_for(
    requests: Sequence[ParameterRequest],
    entities: Sequence[Entity],
    given: Mapping[str, Any],
    *,
    can_be_main: bool,
) -> dict[str, Any]:
    """A value for every parameter: the one given, else the default, else one invented by its kind.

    Args:
        requests: what the model asks for.
        entities: of the fixture; none for a model that brings the whole scene itself.
        given: parameter -> value as `initialize` gets it.
        can_be_main: whether a world may be asked for.

    Raises:
        Broken: if a required parameter has no possible value; it is named.
    """
    return {r.name: _value(r, entities, given, can_be_main) for r in requests}


def _value(
    request: ParameterRequest, entities: Sequence[Entity], given: Mapping[str, Any], main: bool
) -> Any:
    if request.name in given:
        return given[request.name]
    if main and request.name == "world":
        return str(resource(*WORLD_FILE))
    if not request.required:
        return _resolved_default(request, entities)
    made_up = _made_up(request.kind, entities)
    if made_up is None:
        raise Broken(
            f"the required parameter {request.name} ({request.kind}) has no value that could be made up;"
            f" give one with --parameters '{{\"{request.name}\": ...}}'"
        )
    return made_up


def _resolved_default(request: ParameterRequest, entities: Sequence[Entity]) -> Any:
    """The default, as the conductor would resolve it."""
    if request.kind is ParameterKind.ENTITIES and isinstance(request.default, str):
        return entities_meant(request.default, entities)
    return request.default


_OF_THE_FIXTURE: dict[ParameterKind, Callable[[], Any]] = {
    ParameterKind.ENTITY: lambda: "box",
    ParameterKind.ENTITIES: lambda: ["box"],
    ParameterKind.HAND: hand_parameter,
}
_ANYWHERE: dict[ParameterKind, Callable[[], Any]] = {
    ParameterKind.NUMBER: lambda: 1.0,
    ParameterKind.INTEGER: lambda: 1,
    ParameterKind.BOOLEAN: lambda: False,
    ParameterKind.VECTOR: lambda: [0.0, 0.0, 0.0],
    ParameterKind.MODEL: lambda: f"1:{MODEL}",
    ParameterKind.POSE: lambda: [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    ParameterKind.PATH: lambda: str(resource(*WORLD_FILE)),
}


def _made_up(kind: ParameterKind, entities: Sequence[Entity]) -> Any:
    """A value that suits the kind; None if there is none, as for text that may mean anything."""
    possible = _ANYWHERE | _OF_THE_FIXTURE if entities else _ANYWHERE
    return possible[kind]() if kind in possible else None
