"""A signaler for objects and models that are needed only during certain actions.

After Tallavajhula et al. (2019), section 4.3.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Tick,
)
from hetwin_core.ensemble.parameters import EntityNames, Parameters, parameter
from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from model_nodes.fidelity.signaler import Signaler


class Settings(Parameters):
    """The parameters of the model."""

    actions: tuple[str, ...] = parameter(
        "names of the operations during which the fidelity is high"
    )
    objects: EntityNames = parameter(
        "the objects whose fidelity it sets: a tag, a pattern, or a list of names", []
    )
    models: tuple[str, ...] = parameter(
        "names of models that step only during these operations", []
    )
    otherwise: Literal["low", "medium"] = parameter(
        "fidelity at all other times: low or medium", "low"
    )


class DuringAction(Signaler[Settings]):
    """Sets the fidelity to high from the beginning to the end of certain actions, else to low (or medium).

    A model is switched by the attribute ``fidelity`` of an entity of its name, which this signaler contributes.
    """

    summary = "Lowers the fidelity of objects and models outside certain actions."

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the attribute ``fidelity`` of all targets; no action is active.

        Raises:
            BadInput: if a parameter is invalid, or there are no actions or no targets.
        """
        self._actions, models = set(settings.actions), settings.models
        targets = [*settings.objects, *models]
        if not self._actions or not targets:
            where = "objects" if self._actions else "actions"
            raise BadInput("there are none", where=where, expected="at least one name")
        self._otherwise = Fidelity[settings.otherwise.upper()]
        self._under_way: dict[str, int] = {}
        for name in models:
            scene.add(Entity(name, EntityKind.CONCEPT))
        self._register(scene, targets, self._otherwise)
        scene.needs()

    def step(self, tick: Tick) -> Changes:
        """Follow the actions; return the level when it has changed."""
        for event in tick.events:
            if event.kind is EventKind.ACTION and event.name in self._actions:
                self._follow(event)
        level = Fidelity.HIGH if any(self._under_way.values()) else self._otherwise
        return self._changed(np.full(len(self._targets), float(level)), tick)

    def _follow(self, event: Event) -> None:
        count, phase = self._under_way.get(event.name, 0), event.arguments.get("phase", "")
        if phase == "begin":
            self._under_way[event.name] = count + 1
        elif phase == "end":
            self._under_way[event.name] = max(0, count - 1)
