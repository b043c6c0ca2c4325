"""Models that break the contract, each in one way."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.model import (
    AttributeStart,
    Contribution,
    ModelDescription,
    ModelKind,
    ParameterKind,
    ParameterRequest,
    StepInput,
    StepOutput,
    Stepping,
)
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.tables import PROXIMITY, Table
from hetwin_core.ensemble.scene.values import AttributeSpec, Value
from support import toys


class NoDescription(toys.ToyCup):
    @classmethod
    def describe(cls) -> ModelDescription:
        return None  # type: ignore[return-value]


class NeedsInstance(toys.ToyCup):
    def describe(self) -> ModelDescription:  # type: ignore[override]
        return ModelDescription(ModelKind.OBSERVER, "x")


class NoSummary(toys.ToyCup):
    @classmethod
    def describe(cls) -> ModelDescription:
        return ModelDescription(ModelKind.OBSERVER, "")


class NoRate(toys.ToyCup):
    @classmethod
    def describe(cls) -> ModelDescription:
        return ModelDescription(ModelKind.OBSERVER, "x", rate=0.0)


class TwoOfAName(toys.ToyCup):
    @classmethod
    def describe(cls) -> ModelDescription:
        twice = (AttributeSpec("a"), AttributeSpec("a", 2))
        return ModelDescription(ModelKind.OBSERVER, "x", provides=twice)


class FreeMain(toys.ToyPhysics):
    @classmethod
    def describe(cls) -> ModelDescription:
        return ModelDescription(ModelKind.SIMULATION, "x", Stepping.FREE, can_be_main=True)


class WantsArguments(toys.ToyCup):
    def __init__(self, size: int) -> None:
        pass


class Slow(toys.ToyCup):
    def __init__(self) -> None:
        time.sleep(0.6)


class TwoParameters(toys.ToyCup):
    def parameters(self) -> Sequence[ParameterRequest]:
        return (ParameterRequest("p", ParameterKind.ANY, required=False),) * 2


class WrongDefault(toys.ToyCup):
    def parameters(self) -> Sequence[ParameterRequest]:
        return (ParameterRequest("p", ParameterKind.NUMBER, required=False, default="x"),)


class WantsText(toys.ToyCup):
    def parameters(self) -> Sequence[ParameterRequest]:
        asked = ParameterRequest("title", ParameterKind.TEXT, "what to call it")
        return (*super().parameters(), asked)


class NoContribution(toys.ToyCup):
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        return None  # type: ignore[return-value]


class Raises(toys.ToyCup):
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        raise ZeroDivisionError("division by zero")


class OldEntity(toys.ToyCup):
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        return Contribution((Entity("box", EntityKind.OBJECT),))


class Undeclared(toys.ToyCup):
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        start = AttributeStart("box", AttributeSpec("charge"), Value(np.zeros(1), 0))
        return Contribution(attributes=(start,))


class NotFinite(toys.ToyCup):
    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        start = AttributeStart("box", self.TEMPERATURE, Value(np.full(1, np.nan), 0))
        return Contribution(attributes=(start,))


class StartFails(toys.ToyCup):
    def start(self, scene: Snapshot) -> None:
        scene.get("dog", "pose")


class Changed(toys.ToyCup):
    """Changes one thing in each output."""

    def step(self, tick: StepInput) -> StepOutput:
        return self.change(super().step(tick), tick)

    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        raise NotImplementedError


class NoOutput(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        return None  # type: ignore[return-value]


class TimeStandsStill(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        output.time_ns = 0
        return output


class WrongSize(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        output.values["cup", "temperature"] = Value(np.zeros(2), tick.time_ns)
        return output


class BecomesNaN(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        if tick.time_ns > 10**9:
            output.values["cup", "temperature"] = Value(np.full(1, np.nan), tick.time_ns)
        return output


class Strays(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        output.values["box", "pose"] = Value(tick.scene.pose("box").copy(), tick.time_ns)
        return output


class FutureEvent(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        output.events.append(Event("cold", tick.time_ns + 1))
        return output


class NoJson(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        output.events.append(Event("cold", tick.time_ns, arguments={"by": np.float32(1)}))  # type: ignore[dict-item]
        return output


class Block(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        output.block = np.zeros(1)
        return output


class Ends(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        output.ended = True
        return output


class SameArray(Changed):
    numbers: ClassVar[np.ndarray] = np.zeros(1)

    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        self.numbers[0] = tick.time_ns
        output.values["cup", "temperature"] = Value(self.numbers, tick.time_ns)
        return output


class WritesIntoTheScene(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        tick.scene.values[0] = 7.0
        return output


class Rolls(Changed):
    def change(self, output: StepOutput, tick: StepInput) -> StepOutput:
        if tick.time_ns > 10**9:
            output.values["cup", "temperature"] = Value(np.full(1, random.random()), tick.time_ns)
        return output


class AcceptsAll(toys.ToyCup):
    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        pass


class RaisesInTake(toys.ToyCup):
    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        raise KeyError(entity)


class AcceptsCommands(toys.ToyCup):
    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        pass


class Forgets(toys.ToyGrasp):
    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        value = super().release(entity, attribute, scene)
        data = value.data.copy()
        data[2] += 0.001
        return Value(data, value.time_ns)


class ReleasesInTheHand(toys.ToyGrasp):
    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        value = super().release(entity, attribute, scene)
        return Value(value.data, value.time_ns, "hand")


class TakesInSpite(toys.ToyGrasp):
    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        super().take(entity, attribute, value, scene)
        raise Refused("no, but yes")


class SavesTooLittle(toys.ToyCup):
    def save(self) -> Mapping[str, Plain]:
        return {}

    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        pass


class SavesAnObject(SavesTooLittle):
    def save(self) -> Mapping[str, Plain]:
        return {"layout": object()}  # type: ignore[dict-item]


class RefusesItsState(toys.ToyCup):
    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        raise Refused("not this one")


class StopsOnce(toys.ToyCup):
    def stop(self) -> None:
        del self._temperature


class BlockTooShort(toys.ToyPhysics):
    def step(self, tick: StepInput) -> StepOutput:
        output = super().step(tick)
        output.block = None if output.block is None else output.block[:-1]
        return output


class ProximityTooNarrow(toys.ToyPhysics):
    def step(self, tick: StepInput) -> StepOutput:
        output = super().step(tick)
        output.tables[PROXIMITY] = Table(np.zeros((1, 3)))
        return output


class EndedIsANumber(toys.ToyPhysics):
    def step(self, tick: StepInput) -> StepOutput:
        output = super().step(tick)
        output.ended = 0  # type: ignore[assignment]
        return output


class NeverTakesBack(toys.ToyPhysics):
    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        raise Refused("gone is gone")
