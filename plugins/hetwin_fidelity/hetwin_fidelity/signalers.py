"""Fidelity signalers: during certain actions, and near the robot (Tallavajhula et al., 2019, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np

from hetwin_fidelity.rules import During, DuringParameters, Near, NearParameters
from hetwin_fidelity.trees import Trees
from hetwin_suite.model import (
    FIDELITY,
    BadInput,
    Changes,
    Contribution,
    Entity,
    EntityKind,
    EntityNames,
    Fidelity,
    Floats,
    Model,
    Parameters,
    Refused,
    Snapshot,
    Tick,
    Value,
    parameter,
)

Settings = TypeVar("Settings", bound=Parameters)


class Signaler(Model[Settings], Generic[Settings]):
    """Owns the attribute ``fidelity`` of its targets, and returns a level only when it changes."""

    provides = (FIDELITY,)

    def _register(
        self,
        scene: Contribution,
        names: Iterable[str],
        levels: Fidelity | Sequence[Fidelity],
    ) -> None:
        """Contribute the attribute of these targets, at one level or at a level each."""
        self._targets = list(names)
        count = len(self._targets)
        self._owned = np.ones(count, np.bool_)
        self._published: Floats = np.broadcast_to(np.array(levels, np.float64), count).copy()
        for name, level in zip(self._targets, self._published.tolist(), strict=True):
            scene.set(name, FIDELITY, level)

    def _changed(self, levels: Floats, tick: Tick) -> Changes:
        """Return the levels that differ from the last published ones, of (n,) levels."""
        changes = tick.changes()
        changed = np.flatnonzero((levels != self._published) & self._owned)
        for i in changed.tolist():
            changes.set(self._targets[i], FIDELITY, levels[i])
        self._published[changed] = levels[changed]
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Take responsibility for a target; its level is returned at the next step."""
        if attribute != FIDELITY.name or entity not in self._targets:
            raise Refused(f"this signaler does not compute {entity}.{attribute}")
        at = self._targets.index(entity)
        self._owned[at], self._published[at] = True, np.nan

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release a target; its level stays."""
        known = attribute == FIDELITY.name and entity in self._targets
        if not known or not self._owned[self._targets.index(entity)]:
            raise Refused(f"this signaler is not responsible for {entity}.{attribute}")
        self._owned[self._targets.index(entity)] = False
        return scene.value(entity, attribute)


class DuringActionSettings(DuringParameters):
    """The parameters of the model."""

    objects: EntityNames = parameter(
        "objects whose fidelity is set: a tag, a pattern, or a list of names", []
    )
    models: tuple[str, ...] = parameter(
        "names of models that step only during these operations", []
    )


class DuringAction(Signaler[DuringActionSettings]):
    """Sets the fidelity to high from the start to the end of certain actions, and to low or medium otherwise.

    A model is switched by the attribute ``fidelity`` of an entity with its name, which this signaler contributes.
    """

    summary = "Lowers the fidelity of objects and models outside certain actions."

    def initialize(self, settings: DuringActionSettings, scene: Contribution) -> None:
        """Contribute the attribute ``fidelity`` of all targets, at the level without an active action.

        Raises:
            BadInput: if a parameter is invalid, or there are no actions or no targets.
        """
        targets = [*settings.objects, *settings.models]
        self._rule = During(settings, Trees.each(targets))
        if not targets:
            raise BadInput("there are none", where="objects", expected="at least one name")
        for name in settings.models:
            scene.add(Entity(name, EntityKind.CONCEPT))
        self._register(scene, targets, self._rule.initial)
        scene.needs()

    def step(self, tick: Tick) -> Changes:
        """Update the active actions from the events; return the level when it has changed."""
        return self._changed(self._rule.levels(tick), tick)


class NearRobotSettings(NearParameters):
    """The parameters of the model."""

    objects: EntityNames = parameter(
        "objects whose fidelity is set: a tag, a pattern, or a list of names", "*"
    )


class NearRobot(Signaler[NearRobotSettings]):
    """Sets the fidelity of each object to high, medium or low by its distance from the robot; see `rules`."""

    summary = "Lowers the fidelity of objects that the robot cannot reach."

    def initialize(self, settings: NearRobotSettings, scene: Contribution) -> None:
        """Contribute each object's attribute ``fidelity``; all are high at the start.

        Raises:
            BadInput: if there is no object, no such mode, or a threshold is invalid.
        """
        if not settings.objects:
            raise BadInput("there are none", where="objects", expected="objects of the scene")
        self._rule = Near(settings, Trees.each(settings.objects))
        self._register(scene, settings.objects, self._rule.initial)
        scene.needs(*self._rule.reads)

    def start(self, scene: Snapshot) -> None:
        """Compute the bounding boxes of objects and robots.

        Raises:
            BadInput: if an object has no collision geometry.
        """
        self._rule.start(scene)

    def step(self, tick: Tick) -> Changes | None:
        """Return the levels that have changed."""
        return self._changed(self._rule.levels(tick), tick) if self._rule.is_on else None
