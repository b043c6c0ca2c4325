"""A signaler: objects and models are needed only during certain actions (paper 1, section 4.3: plungers in arm)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.model import (
    Contribution,
    ParameterKind,
    ParameterRequest,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from model_nodes.fidelity.signaler import Signaler

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


class DuringAction(Signaler):
    """High from the beginning to the end of any of these actions, low (or medium) otherwise.

    A model is switched by the attribute ``fidelity`` of an entity of its name, which this signaler brings.
    """

    _summary = "Lowers the fidelity of objects and models outside certain actions."

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
        targets = [*parameters.get("objects", []), *models]
        if not self._actions or not targets:
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
        return self._judge(
            targets, self._otherwise, tuple(Entity(name, EntityKind.CONCEPT) for name in models)
        )

    def step(self, tick: StepInput) -> StepOutput:
        """Follow the actions; tell the level when it has changed."""
        for event in tick.events:
            if event.kind is EventKind.ACTION and event.name in self._actions:
                self._follow(event)
        level = Fidelity.HIGH if any(self._under_way.values()) else self._otherwise
        return self._tell(np.full(len(self._judged), float(level)), tick.time_ns)

    def _follow(self, event: Event) -> None:
        count, phase = self._under_way.get(event.name, 0), event.arguments.get("phase", "")
        if phase == "begin":
            self._under_way[event.name] = count + 1
        elif phase == "end":
            self._under_way[event.name] = max(0, count - 1)


def _names(parameters: Mapping[str, Any], name: str) -> list[str]:
    given = parameters.get(name) or []
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        raise BadInput("is no list of names", where=name, found=given, expected="a list of names")
    return list(given)
