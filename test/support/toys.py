"""Tiny models for tests of the core: a ball that falls, a hand that moves, a cup that cools."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event, EventKind, Json
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
from hetwin_core.ensemble.scene.poses import relative_to
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Value, pose_value

HAND_SPEED = 0.1
SLOW_S = 0.2


class ToySettings(Parameters):
    until: float = parameter("when it ends", 1.0, "s")
    actions: list[dict[str, Any]] = parameter("", [])
    fail_at: float | None = None
    nan_at: float | None = None
    late_at: float | None = None
    pace: float = parameter("", 0.0, "s")
    slow_until: str | None = None


class ToyPhysics(MainModel[ToySettings]):
    """Main model: a hand moves along x, a ball falls; events at given times; ends at a given time."""

    provides = (POSE,)

    def initialize(self, settings: ToySettings, scene: MainContribution) -> None:
        self._until = round(settings.until * 1e9)
        self._actions = [dict(a) for a in settings.actions]
        self._pace = settings.pace
        self._slow_until = settings.slow_until and Path(settings.slow_until)
        self._when = {"fail": settings.fail_at, "nan": settings.nan_at, "late": settings.late_at}
        self._ball = pose_value((0.0, 0.0, 1.0)).data
        self._owns = True
        self.taken: list[Value] = []
        self.released: list[Value] = []
        scene.add(Entity("hand", EntityKind.HAND))
        scene.add(Entity("ball", EntityKind.OBJECT, tags=("graspable",)))
        hand = pose_value((0.0, 0.0, 1.1), linear=(HAND_SPEED, 0, 0))
        scene.set("hand", POSE, hand.data)
        scene.set("ball", POSE, self._ball)
        scene.duration_ns = self._until

    def step(self, tick: MainTick) -> MainChanges:
        self._misbehave(tick.time_ns)
        time.sleep(self._pace_now())
        dt = tick.period_ns / 1e9
        t = tick.time_ns / 1e9
        hand = pose_value((HAND_SPEED * t, 0.0, 1.1), linear=(HAND_SPEED, 0.0, 0.0)).data
        if self._owns:
            self._ball = self._ball.copy()
            self._ball[9] -= 9.81 * dt
            self._ball[0:3] += dt * self._ball[7:10]
        block = np.concatenate([hand, self._ball])
        if self._when["nan"] is not None and t >= self._when["nan"]:
            block[13] = np.nan
        return MainChanges(
            tick.time_ns,
            block=block,
            events=self._due(t),
            ended=tick.time_ns >= self._until,
        )

    def _pace_now(self) -> float:
        """What this step takes [s]: long, until the file that is waited for is there."""
        if self._slow_until and self._slow_until.exists():
            self._slow_until = None
        return SLOW_S if self._slow_until else float(self._pace)

    def _misbehave(self, time_ns: int) -> None:
        t = time_ns / 1e9
        if self._when["fail"] is not None and t >= self._when["fail"]:
            raise ValueError("the toy broke")
        if self._when["late"] is not None and t >= self._when["late"]:
            time.sleep(1.5)

    def _due(self, t: float) -> list[Event]:
        due = [a for a in self._actions if a["at"] <= t]
        self._actions = [a for a in self._actions if a["at"] > t]
        return [
            Event(
                a["name"],
                round(a["at"] * 1e9),
                EventKind.ACTION,
                arguments={k: v for k, v in a.items() if k not in ("name", "at")},
            )
            for a in due
        ]

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        if (entity, attribute) != ("ball", "pose"):
            raise Refused("physics takes nothing but the ball")
        self._ball = value.data.copy()
        self._owns = True
        self.taken.append(value)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        if (entity, attribute) != ("ball", "pose"):
            raise Refused("physics gives nothing but the ball away")
        self._owns = False
        value = scene.value(entity, "pose")
        self.released.append(value)
        return value


class GraspSettings(Parameters):
    refuses: bool = False
    asks_at: float | None = None


class ToyGrasp(Model[GraspSettings]):
    """Holds the ball where it took it, relative to the hand."""

    rate = 50.0
    provides = (POSE,)

    def initialize(self, settings: GraspSettings, scene: Contribution) -> None:
        self._refuses = settings.refuses
        self._asks_at = settings.asks_at
        self._held: dict[str, Value] = {}
        self.steps: list[int] = []
        self.seen: list[tuple[str, ...]] = []

    def step(self, tick: Tick) -> Changes:
        self.steps.append(tick.time_ns)
        self.seen.append(tuple(e.name for e in tick.events))
        changes = tick.changes()
        for name, value in self._held.items():
            changes.set(name, POSE, value.data, value.parent)
        if self._asks_at is not None and tick.time_ns >= self._asks_at * 1e9:
            self._asks_at = None
            changes.take("ball", POSE)
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        if self._refuses:
            raise Refused("slippery")
        if attribute != "pose" or not scene.layout.has(entity, attribute) or entity == "hand":
            raise Refused("a hand holds other things' poses only")
        relative = relative_to(scene.pose("hand"), value.data)
        relative[7:] = 0.0
        self._held[entity] = Value(relative, value.time_ns, "hand")

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        if self._held.pop(entity, None) is None or attribute != "pose":
            raise Refused("it is not held")
        return scene.value(entity, "pose")


class CupSettings(Parameters):
    strays: bool = False


class ToyCup(Model[CupSettings]):
    """A cup of coffee that cools; reports when it is cold."""

    TEMPERATURE = AttributeSpec("temperature", 1, "K")
    rate = 10.0
    provides = (TEMPERATURE,)

    def initialize(self, settings: CupSettings, scene: Contribution) -> None:
        self._temperature = 350.0
        self._strays = settings.strays
        self.commands: list[tuple[str, Mapping[str, Json]]] = []
        scene.add(Entity("cup", EntityKind.CONCEPT))
        scene.set("cup", self.TEMPERATURE, 350.0)

    def step(self, tick: Tick) -> Changes:
        self._temperature += (290.0 - self._temperature) * tick.period_ns / 1e9
        changes = tick.changes().set("cup", self.TEMPERATURE, self._temperature)
        if self._strays:
            changes.set("ball", POSE, np.zeros(13))
        return changes

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        if name != "heat":
            raise Refused("a cup can only be heated")
        self.commands.append((name, arguments))
        self._temperature = 350.0
