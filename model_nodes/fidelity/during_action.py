"""A signaler: objects and models are needed only during certain actions (paper 1, section 4.3: plungers in arm)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hetwin_suite.ensemble.errors import BadInput, Refused
from hetwin_suite.ensemble.events import Event, EventKind
from hetwin_suite.ensemble.fidelity import FIDELITY, Fidelity
from hetwin_suite.ensemble.layout import Entity, EntityKind
from hetwin_suite.ensemble.model import (
    AttributeStart,
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    ParameterKind,
    ParameterRequest,
    StepInput,
    StepOutput,
)
from hetwin_suite.ensemble.snapshot import Snapshot
from hetwin_suite.ensemble.values import Floats, Value

_PARAMETERS = (
    ParameterRequest("actions", ParameterKind.ANY, "operations during which the fidelity is high"),
    ParameterRequest(
        "objects", ParameterKind.ENTITIES, "a tag, a pattern, or a list of names", False, []
    ),
    ParameterRequest(
        "models", ParameterKind.ANY, "models that step only during these actions", False, []
    ),
    ParameterRequest("otherwise", ParameterKind.TEXT, "low or medium", False, "low"),
)


class DuringAction(Model):
    """High from the beginning to the end of any of these actions, low (or medium) otherwise.

    A model is switched by the attribute ``fidelity`` of an entity of its name, which this signaler brings.
    """

    @classmethod
    def describe(cls) -> ModelDescription:
        """What the model is."""
        return ModelDescription(
            kind=ModelKind.OBSERVER,
            summary="Lowers the fidelity of objects and models outside certain actions.",
            provides=(FIDELITY,),
        )

    def parameters(self) -> tuple[ParameterRequest, ...]:
        """The actions, and what depends on them."""
        return _PARAMETERS

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Bring the attribute ``fidelity`` of all of them; no action is under way.

        Raises:
            BadInput: if a parameter cannot be used, or nothing depends on the actions.
        """
        self._actions = set(_names(parameters, "actions"))
        models = _names(parameters, "models")
        self._targets = [*parameters.get("objects", []), *models]
        if not self._actions or not self._targets:
            where = "objects" if self._actions else "actions"
            raise BadInput("there are none", where=where, expected="at least one name")
        levels = {"low": Fidelity.LOW, "medium": Fidelity.MEDIUM}
        otherwise = parameters.get("otherwise", "low")
        if otherwise not in levels:
            raise BadInput(
                "is no level", where="otherwise", found=otherwise, expected="low or medium"
            )
        self._otherwise = levels[otherwise]
        self._under_way: dict[str, int] = {}
        self._owned = set(self._targets)
        self._told: Fidelity | None = self._otherwise
        start = Value(_number(self._otherwise), 0)
        return Contribution(
            tuple(Entity(name, EntityKind.CONCEPT) for name in models),
            tuple(AttributeStart(name, FIDELITY, start) for name in self._targets),
            reads=(),
        )

    def step(self, tick: StepInput) -> StepOutput:
        """Follow the actions; tell the level when it has changed."""
        for event in tick.events:
            if event.kind is EventKind.ACTION and event.name in self._actions:
                self._follow(event)
        level = Fidelity.HIGH if any(self._under_way.values()) else self._otherwise
        if level is self._told:
            return StepOutput(tick.time_ns)
        self._told = level
        value = Value(_number(level), tick.time_ns)
        owned = [name for name in self._targets if name in self._owned]
        return StepOutput(tick.time_ns, {(name, FIDELITY.name): value for name in owned})

    def _follow(self, event: Event) -> None:
        count, phase = self._under_way.get(event.name, 0), event.arguments.get("phase", "")
        if phase == "begin":
            self._under_way[event.name] = count + 1
        elif phase == "end":
            self._under_way[event.name] = max(0, count - 1)

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Judge this again from now on."""
        if attribute != FIDELITY.name or entity not in self._targets:
            raise Refused(f"this signaler does not judge {entity}.{attribute}")
        self._owned.add(entity)
        self._told = None

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Stop judging this; its level stays."""
        if attribute != FIDELITY.name or entity not in self._owned:
            raise Refused(f"this signaler is not responsible for {entity}.{attribute}")
        self._owned.discard(entity)
        return Value(scene.get(entity, attribute).copy(), scene.time_ns)


def _number(level: Fidelity) -> Floats:
    return np.full(1, float(level))


def _names(parameters: Mapping[str, Any], name: str) -> list[str]:
    given = parameters.get(name) or []
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        raise BadInput("is no list of names", where=name, found=given, expected="a list of names")
    return list(given)
