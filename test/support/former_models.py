"""Models written against the contract of version 0.1, as a stranger's package has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.former_model import (
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.model import AttributeStart, Request, RequestKind
from hetwin_core.ensemble.parameters import ParameterKind, ParameterRequest, Parameters, parameter
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.poses import relative_to
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Value, pose_value


class FormerPhysics(Model):
    """Does what `toys.ToyPhysics` does."""

    @classmethod
    def describe(cls) -> ModelDescription:
        return ModelDescription(
            ModelKind.SIMULATION, "a hand and a ball", provides=(POSE,), can_be_main=True
        )

    def parameters(self) -> Sequence[ParameterRequest]:
        number = ParameterKind.NUMBER
        return (ParameterRequest("until", number, required=False, default=1.0, unit="s"),)

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        self._until = round(parameters["until"] * 1e9)
        self._ball = pose_value((0.0, 0.0, 1.0)).data
        self._owns = True
        hand = Entity("hand", EntityKind.HAND)
        ball = Entity("ball", EntityKind.OBJECT, tags=("graspable",))
        starts = (
            AttributeStart("hand", POSE, pose_value((0.0, 0.0, 1.1), linear=(0.1, 0, 0))),
            AttributeStart("ball", POSE, pose_value((0.0, 0.0, 1.0))),
        )
        return Contribution((hand, ball), starts, duration_ns=self._until)

    def step(self, tick: StepInput) -> StepOutput:
        dt, t = tick.period_ns / 1e9, tick.time_ns / 1e9
        hand = pose_value((0.1 * t, 0.0, 1.1), linear=(0.1, 0.0, 0.0)).data
        if self._owns:
            self._ball = self._ball.copy()
            self._ball[9] -= 9.81 * dt
            self._ball[0:3] += dt * self._ball[7:10]
        block = np.concatenate([hand, self._ball])
        return StepOutput(time_ns=tick.time_ns, block=block, ended=tick.time_ns >= self._until)

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        if (entity, attribute) != ("ball", "pose"):
            raise Refused("physics takes nothing but the ball")
        self._ball, self._owns = value.data.copy(), True

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        if (entity, attribute) != ("ball", "pose"):
            raise Refused("physics gives nothing but the ball away")
        self._owns = False
        return Value(scene.pose(entity).copy(), scene.time_ns)


class GraspSettings(Parameters):
    asks_at: float | None = parameter("when it asks for the ball", None, "s")
    refuses: bool = parameter("whether it refuses the ball", False)


class FormerGrasp(Model):
    """Does what `toys.ToyGrasp` does; it has its parameters as a class."""

    settings_class = GraspSettings

    @classmethod
    def describe(cls) -> ModelDescription:
        return ModelDescription(ModelKind.SIMULATION, "holds a ball", rate=50.0, provides=(POSE,))

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        settings = GraspSettings.read(parameters)
        self._asks_at, self._refuses = settings.asks_at, settings.refuses
        self._held: dict[str, Value] = {}
        return Contribution()

    def step(self, tick: StepInput) -> StepOutput:
        held = {(name, "pose"): value for name, value in self._held.items()}
        output = StepOutput(time_ns=tick.time_ns, values=held)
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


class FormerCup(Model):
    """Does what `toys.ToyCup` does, and no more than a model had to."""

    TEMPERATURE = AttributeSpec("temperature", 1, "K")

    @classmethod
    def describe(cls) -> ModelDescription:
        return ModelDescription(
            ModelKind.SIMULATION,
            "coffee that cools",
            rate=10.0,
            provides=(cls.TEMPERATURE,),
            raises={"cold": "it has become cold"},
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        self._temperature = 350.0
        start = AttributeStart("cup", self.TEMPERATURE, Value(np.array([350.0]), 0))
        return Contribution((Entity("cup", EntityKind.CONCEPT),), (start,))

    def step(self, tick: StepInput) -> StepOutput:
        self._temperature += (290.0 - self._temperature) * tick.period_ns / 1e9
        value = Value(np.array([self._temperature]), tick.time_ns)
        return StepOutput(time_ns=tick.time_ns, values={("cup", "temperature"): value})


class NoDescription(FormerCup):
    @classmethod
    def describe(cls) -> ModelDescription:
        return None  # type: ignore[return-value]


class NeedsInstance(FormerCup):
    def describe(self) -> ModelDescription:  # type: ignore[override]
        return ModelDescription(ModelKind.OBSERVER, "x")


class TwoParameters(FormerCup):
    def parameters(self) -> Sequence[ParameterRequest]:
        return (ParameterRequest("p", ParameterKind.ANY, required=False),) * 2


class NoContribution(FormerCup):
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        return None  # type: ignore[return-value]


class TimeStandsStill(FormerCup):
    def step(self, tick: StepInput) -> StepOutput:
        output = super().step(tick)
        output.time_ns = 0
        return output


class Blocks(FormerCup):
    def step(self, tick: StepInput) -> StepOutput:
        output = super().step(tick)
        output.block = np.zeros(1)
        return output
