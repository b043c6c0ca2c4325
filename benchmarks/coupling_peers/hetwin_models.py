"""The trivial ensemble for hetwin: `Source` is the main model, `Follower` reads it."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    MainChanges,
    MainContribution,
    MainModel,
    MainTick,
    Model,
    Tick,
)
from hetwin_core.ensemble.parameters import Parameters
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec

LEVEL = AttributeSpec("level", 1)
SHARE = 0.1


class Source(MainModel[Parameters]):
    """Counts up."""

    provides = (LEVEL,)

    def initialize(self, settings: Parameters, scene: MainContribution) -> None:
        """Begin at 0."""
        self._level = np.zeros(1)
        scene.add(Entity("source", EntityKind.CONCEPT))
        scene.set("source", LEVEL, 0.0)
        scene.needs()

    def step(self, tick: MainTick) -> MainChanges:
        """One more."""
        self._level = self._level + 1.0
        return MainChanges(tick.time_ns, block=self._level)


class FollowerSettings(Parameters):
    """Its entity's name."""

    entity: str


class Follower(Model[FollowerSettings]):
    """Follows the source."""

    provides = (LEVEL,)

    def initialize(self, settings: FollowerSettings, scene: Contribution) -> None:
        """Begin at 0."""
        self._level = 0.0
        scene.add(Entity(settings.entity, EntityKind.CONCEPT))
        scene.set(settings.entity, LEVEL, 0.0)
        scene.needs(("source", LEVEL.name))

    def start(self, scene: Snapshot) -> None:
        """Find the source's level."""
        self._source = scene.layout.range_of("source", LEVEL.name).start

    def step(self, tick: Tick) -> Changes:
        """A tenth of the way."""
        self._level += SHARE * (float(tick.scene.values[self._source]) - self._level)
        return tick.changes().set(self.settings.entity, LEVEL, self._level)
