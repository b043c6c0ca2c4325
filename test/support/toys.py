"""Tiny models for tests of the core: a ball that falls, a hand that moves, a cup that cools."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.ensemble.model import (
    AttributeStart,
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    ParameterKind,
    ParameterRequest,
    Request,
    RequestKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.poses import relative_to
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Value, pose_value

HAND_SPEED = 0.1
SLOW_S = 0.2


class ToyPhysics(Model):
    """Main model: a hand moves along x, a ball falls; events at given times; ends at a given time."""

    @classmethod
    def describe(cls) -> ModelDescription:
        return ModelDescription(
            ModelKind.SIMULATION, "a hand and a ball", provides=(POSE,), can_be_main=True
        )

    def parameters(self) -> Sequence[ParameterRequest]:
        return (
            ParameterRequest("until", ParameterKind.NUMBER, required=False, default=1.0, unit="s"),
            ParameterRequest("actions", ParameterKind.ANY, required=False, default=[]),
            ParameterRequest("fail_at", ParameterKind.NUMBER, required=False, default=None),
            ParameterRequest("nan_at", ParameterKind.NUMBER, required=False, default=None),
            ParameterRequest("late_at", ParameterKind.NUMBER, required=False, default=None),
            ParameterRequest("pace", ParameterKind.NUMBER, required=False, default=0.0, unit="s"),
            ParameterRequest("slow_until", ParameterKind.ANY, required=False, default=None),
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        self._until = round(parameters["until"] * 1e9)
        self._actions = [dict(a) for a in parameters["actions"]]
        self._pace = parameters["pace"]
        self._slow_until = parameters["slow_until"] and Path(parameters["slow_until"])
        self._when = {k: parameters[f"{k}_at"] for k in ("fail", "nan", "late")}
        self._ball = pose_value((0.0, 0.0, 1.0)).data
        self._owns = True
        self.taken: list[Value] = []
        self.released: list[Value] = []
        hand = Entity("hand", EntityKind.HAND)
        ball = Entity("ball", EntityKind.OBJECT, tags=("graspable",))
        starts = (
            AttributeStart("hand", POSE, pose_value((0.0, 0.0, 1.1), linear=(HAND_SPEED, 0, 0))),
            AttributeStart("ball", POSE, pose_value((0.0, 0.0, 1.0))),
        )
        return Contribution((hand, ball), starts, duration_ns=self._until)

    def step(self, tick: StepInput) -> StepOutput:
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
        return StepOutput(
            time_ns=tick.time_ns,
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
            time.sleep(0.5)

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
        value = Value(scene.pose(entity).copy(), scene.time_ns)
        self.released.append(value)
        return value


class ToyGrasp(Model):
    """Holds the ball where it took it, relative to the hand."""

    @classmethod
    def describe(cls) -> ModelDescription:
        return ModelDescription(ModelKind.SIMULATION, "holds a ball", rate=50.0, provides=(POSE,))

    def parameters(self) -> Sequence[ParameterRequest]:
        return (
            ParameterRequest("refuses", ParameterKind.BOOLEAN, required=False, default=False),
            ParameterRequest("asks_at", ParameterKind.NUMBER, required=False, default=None),
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        self._refuses = parameters["refuses"]
        self._asks_at = parameters["asks_at"]
        self._held: dict[str, Value] = {}
        self.steps: list[int] = []
        self.seen: list[tuple[str, ...]] = []
        return Contribution()

    def step(self, tick: StepInput) -> StepOutput:
        self.steps.append(tick.time_ns)
        self.seen.append(tuple(e.name for e in tick.events))
        output = StepOutput(
            time_ns=tick.time_ns, values={(k, "pose"): v for k, v in self._held.items()}
        )
        if self._asks_at is not None and tick.time_ns >= self._asks_at * 1e9:
            self._asks_at = None
            output.requests.append(Request(RequestKind.TAKE, "ball", "pose"))
        return output

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
        return Value(scene.pose(entity).copy(), scene.time_ns)


class ToyCup(Model):
    """A cup of coffee that cools; reports when it is cold."""

    TEMPERATURE = AttributeSpec("temperature", 1, "K")

    @classmethod
    def describe(cls) -> ModelDescription:
        return ModelDescription(
            ModelKind.SIMULATION, "coffee that cools", rate=10.0, provides=(cls.TEMPERATURE,)
        )

    def parameters(self) -> Sequence[ParameterRequest]:
        return (ParameterRequest("strays", ParameterKind.BOOLEAN, required=False, default=False),)

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        self._temperature = 350.0
        self._strays = parameters["strays"]
        self.commands: list[tuple[str, Mapping[str, Json]]] = []
        start = AttributeStart("cup", self.TEMPERATURE, Value(np.array([350.0]), 0))
        return Contribution((Entity("cup", EntityKind.CONCEPT),), (start,))

    def step(self, tick: StepInput) -> StepOutput:
        self._temperature += (290.0 - self._temperature) * tick.period_ns / 1e9
        value = Value(np.array([self._temperature]), tick.time_ns)
        output = StepOutput(time_ns=tick.time_ns, values={("cup", "temperature"): value})
        if self._strays:
            output.values["ball", "pose"] = Value(np.zeros(13), tick.time_ns)
        return output

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        if name != "heat":
            raise Refused("a cup can only be heated")
        self.commands.append((name, arguments))
        self._temperature = 350.0
