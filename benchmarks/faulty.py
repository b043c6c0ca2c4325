"""A model that fails in a given way at a given time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fault_deeds import DEEDS

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event, Json
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
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Value, pose_value

LEVEL = AttributeSpec("level", 1, "m")


def _level(*numbers: float, kind: type = np.float64) -> Callable[[Changes, Tick], object]:
    """Return a fault that changes the level in the output."""

    def answer(output: Changes, tick: Tick) -> Changes:
        (key,) = (k for k in output.values if k[1] == LEVEL.name)
        output.values[key] = Value(np.array(numbers, kind), tick.time_ns)
        return output

    return answer


def _changed(change: Callable[[Changes, Tick], object]) -> Callable[..., object]:
    """Return a fault that changes the output."""

    def answer(output: Changes, tick: Tick) -> Changes:
        change(output, tick)
        return output

    return answer


ANSWERS: dict[str, Callable[[Changes, Tick], object]] = {
    "not a number": _level(np.nan),
    "infinity": _level(np.inf),
    "wrong shape": _level(0.0, 0.0, 0.0),
    "wrong type": _level(0.0, kind=np.float32),
    "no answer": lambda output, tick: "",
    "not its own": _changed(
        lambda output, tick: output.values.update({("ball", "pose"): pose_value((9.0, 9.0, 9.0))})
    ),
    "time stands still": _changed(
        lambda output, tick: setattr(output, "time_ns", tick.time_ns - tick.period_ns)
    ),
    "time goes back": _changed(lambda output, tick: setattr(output, "time_ns", 0)),
    "event without JSON": _changed(
        lambda output, tick: output.events.append(
            Event("odd", tick.time_ns, arguments={"of": object()})  # type: ignore[dict-item]
        )
    ),
    "event flood": _changed(
        lambda output, tick: output.events.extend([Event("drop", tick.time_ns)] * 200_000)
    ),
}
"""Faulty outputs of a step."""


class WorldSettings(Parameters):
    until: float = parameter("when it ends", 1.0, "s")
    pace: float = parameter("wall time of a step", 0.0, "s")


class World(MainModel[WorldSettings]):
    """Main model: a ball that moves along x."""

    provides = (POSE,)

    def initialize(self, settings: WorldSettings, scene: MainContribution) -> None:
        self._until = round(settings.until * 1e9)
        self._ball = pose_value((0.0, 0.0, 1.0), linear=(0.1, 0.0, 0.0)).data
        scene.add(Entity("ball", EntityKind.OBJECT))
        scene.set("ball", POSE, self._ball)
        scene.duration_ns = self._until

    def step(self, tick: MainTick) -> MainChanges:
        time.sleep(self.settings.pace)
        self._ball = self._ball.copy()
        self._ball[0] += 0.1 * tick.period_ns / 1e9
        return MainChanges(tick.time_ns, block=self._ball, ended=tick.time_ns >= self._until)

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        if (entity, attribute) != ("ball", "pose"):
            raise Refused("there is only a ball")
        self._ball = value.data.copy()

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        if (entity, attribute) != ("ball", "pose"):
            raise Refused("there is only a ball")
        return scene.value(entity, "pose")


class FaultySettings(Parameters):
    fault: str = ""
    call: str = "step"
    at: float = parameter("when", 0.0, "s")
    once: str = ""
    mark: str = ""
    seconds: float = 1.0
    name: str = "tank"


class Faulty(Model[FaultySettings]):
    """A rising water level that carries the ball when it is responsible for it; fails as its parameters specify."""

    provides = (LEVEL, POSE)

    def initialize(self, settings: FaultySettings, scene: Contribution) -> None:
        self._fault = settings.fault
        self._in = settings.call
        self._at = round(settings.at * 1e9)
        self._mark = Path(settings.mark) if settings.mark else None
        self._seconds = settings.seconds
        self._once = Path(settings.once) if settings.once else None
        self._tank = settings.name
        self._level = 0.0
        self._held: dict[tuple[str, str], Value] = {}
        self._do("initialize", self._at)
        scene.add(Entity(self._tank, EntityKind.CONCEPT))
        scene.set(self._tank, LEVEL, 0.0)

    def start(self, scene: Snapshot) -> None:
        self._do("start", self._at)

    def step(self, tick: Tick) -> Changes:
        self._level += tick.period_ns / 1e9
        output = tick.changes().set(self._tank, LEVEL, self._level)
        output.values.update(self._held)
        self._do("step", tick.time_ns)
        return self._answer(output, tick)  # type: ignore[no-any-return]

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        self._do("take", scene.time_ns)
        self._held[entity, attribute] = value

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        self._do("release", scene.time_ns)
        value = self._held.pop((entity, attribute))
        return Value(value.data, scene.time_ns)

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        self._do("command", self._at)

    def stop(self) -> None:
        self._do("stop", self._at)

    def _do(self, call: str, time_ns: int) -> None:
        if self._fault in DEEDS and self._is_due(call, time_ns):
            DEEDS[self._fault]()
        elif self._fault == "late" and self._is_due(call, time_ns):
            time.sleep(self._seconds)

    def _is_due(self, call: str, time_ns: int) -> bool:
        """Whether the fault is due in this call; with `once`, a restarted model works."""
        if call != self._in or time_ns < self._at:
            return False
        if self._once is not None and self._once.exists():
            return False
        for file in (self._once, self._mark):
            if file is not None and not file.exists():
                file.write_text(str(time.time()))
        return True

    def _answer(self, output: Changes, tick: Tick) -> Any:
        """Return the output, changed by the fault."""
        wrong = ANSWERS.get(self._fault)
        if wrong is None or not self._is_due("step", tick.time_ns):
            return output
        return wrong(output, tick)
