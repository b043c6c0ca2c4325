"""Models that break the contract, each in one way."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    MainChanges,
    MainTick,
    Stepping,
    Tick,
)
from hetwin_core.ensemble.parameters import ParameterKind, Parameters, parameter
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, Snapshot, Table
from hetwin_core.ensemble.scene.values import AttributeSpec, Value
from support import toys


class NoSummary(toys.ToyCup):
    summary = ""


class ListedSummary(toys.ToyCup):
    summary = ("a cup",)


class NoRate(toys.ToyCup):
    rate = 0.0


class NoStepping(toys.ToyCup):
    stepping = "sometimes"


class TwoOfAName(toys.ToyCup):
    provides = (AttributeSpec("a"), AttributeSpec("a", 2))


class OtherThreshold(toys.ToyCup):
    thresholds = ("strays", "cold")

    def compares(self, scene: Snapshot) -> dict[str, float] | None:
        return None


class FreeMain(toys.ToyPhysics):
    stepping = Stepping.FREE


class WantsArguments(toys.ToyCup):
    def __init__(self, size: int) -> None:
        pass


class Slow(toys.ToyCup):
    def __init__(self) -> None:
        time.sleep(0.6)


class WrongSettings(Parameters):
    p: Annotated[Any, ParameterKind.NUMBER] = "x"


class WrongDefault(toys.ToyCup):
    settings_class = WrongSettings


class TitledSettings(toys.CupSettings):
    title: str = parameter("what to call it")


class WantsText(toys.ToyCup):
    settings_class = TitledSettings


class Raises(toys.ToyCup):
    def initialize(self, settings: toys.CupSettings, scene: Contribution) -> None:
        raise ZeroDivisionError("division by zero")


class OldEntity(toys.ToyCup):
    def initialize(self, settings: toys.CupSettings, scene: Contribution) -> None:
        scene.add(Entity("box", EntityKind.OBJECT))


class Undeclared(toys.ToyCup):
    def initialize(self, settings: toys.CupSettings, scene: Contribution) -> None:
        scene.set("box", AttributeSpec("charge"), 0.0)


class NotFinite(toys.ToyCup):
    def initialize(self, settings: toys.CupSettings, scene: Contribution) -> None:
        scene.set("box", self.TEMPERATURE, np.nan)


class StartFails(toys.ToyCup):
    def start(self, scene: Snapshot) -> None:
        scene.get("dog", "pose")


class Changed(toys.ToyCup):
    """Changes one thing in each output."""

    def step(self, tick: Tick) -> Changes:
        return self.changed(super().step(tick), tick)

    def changed(self, output: Changes, tick: Tick) -> Changes:
        raise NotImplementedError


class NoOutput(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        return {"temperature": 300.0}  # type: ignore[return-value]


class TimeStandsStill(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        output.time_ns = 0
        return output


class WrongSize(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        output.set("cup", "temperature", np.zeros(2))
        return output


class BecomesNaN(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        if tick.time_ns > 10**9:
            output.set("cup", "temperature", np.full(1, np.nan))
        return output


class Strays(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        output.set("box", "pose", tick.scene.pose("box").copy())
        return output


class FutureEvent(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        return output.event("cold", tick.time_ns + 1)


class NoJson(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        return output.event("cold", by=np.float32(1))


class Block(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        return MainChanges(tick.time_ns, output.values, block=np.zeros(1))


class Ends(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        return MainChanges(tick.time_ns, output.values, ended=True)


class SameArray(Changed):
    numbers: ClassVar[np.ndarray] = np.zeros(1)

    def changed(self, output: Changes, tick: Tick) -> Changes:
        self.numbers[0] = tick.time_ns
        output.values["cup", "temperature"] = Value(self.numbers, tick.time_ns)
        return output


class WritesIntoTheScene(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        tick.scene.values[0] = 7.0
        return output


class Rolls(Changed):
    def changed(self, output: Changes, tick: Tick) -> Changes:
        if tick.time_ns > 10**9:
            output.set("cup", "temperature", np.full(1, random.random()))
        return output


class AcceptsAll(toys.ToyCup):
    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        pass

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        raise Refused("never")


class RaisesInTake(AcceptsAll):
    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        raise KeyError(entity)


class TakesOnly(toys.ToyCup):
    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        pass


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
    def save(self) -> Mapping[str, Plain]:
        return {"temperature": self._temperature}

    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        raise Refused("not this one")


class StopsOnce(toys.ToyCup):
    def stop(self) -> None:
        del self._temperature


class BlockTooShort(toys.ToyPhysics):
    def step(self, tick: MainTick) -> MainChanges:
        output = super().step(tick)
        output.block = None if output.block is None else output.block[:-1]
        return output


class ProximityTooNarrow(toys.ToyPhysics):
    def step(self, tick: MainTick) -> MainChanges:
        output = super().step(tick)
        output.tables[PROXIMITY] = Table(np.zeros((1, 3)))
        return output


class EndedIsANumber(toys.ToyPhysics):
    def step(self, tick: MainTick) -> MainChanges:
        output = super().step(tick)
        output.ended = 0  # type: ignore[assignment]
        return output


class NeverTakesBack(toys.ToyPhysics):
    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        raise Refused("gone is gone")
