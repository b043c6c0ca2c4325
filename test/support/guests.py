"""A main model that has all attributes of a few things, and a guest that takes any of them."""

from __future__ import annotations

from typing import Any

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
from hetwin_core.ensemble.parameters import Parameters, parameter
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Value

HEAT = AttributeSpec("heat", 1, "K")
THINGS = ("x", "y", "z")


class Holds:
    """Has the values of what it is responsible for."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], float] = {}

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        self.held[entity, attribute] = float(value.data[0])

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        return Value(np.array([self.held.pop((entity, attribute))]), scene.time_ns)


class Host(Holds, MainModel[Any]):
    """Has the heat of everything, which does not change with it."""

    provides = (HEAT,)

    def initialize(self, settings: Any, scene: MainContribution) -> None:
        for thing in THINGS:
            scene.add(Entity(thing, EntityKind.CONCEPT))
            scene.set(thing, HEAT, 0.0)
            self.held[thing, HEAT.name] = 0.0

    def step(self, tick: MainTick) -> MainChanges:
        block = np.array([self.held.get((thing, HEAT.name), np.nan) for thing in THINGS])
        known = tick.scene.values
        return MainChanges(tick.time_ns, block=np.where(np.isnan(block), known, block))


class GuestSettings(Parameters):
    leaves_at: float = parameter("asks to leave then", 1e9, "s")
    brings: bool = False


class Guest(Holds, Model[GuestSettings]):
    """Heats what it has by 1 K in a second."""

    provides = (HEAT,)

    def initialize(self, settings: GuestSettings, scene: Contribution) -> None:
        if settings.brings:
            scene.add(Entity("spoon", EntityKind.CONCEPT))

    def step(self, tick: Tick) -> Changes:
        changes = tick.changes()
        for (entity, attribute), value in self.held.items():
            self.held[entity, attribute] = value + tick.period
            changes.set(entity, attribute, value + tick.period)
        return changes.leave() if tick.time >= self.settings.leaves_at else changes
