"""A few models that refuse or fail on command, and what moves responsibilities between them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_core.ensemble.conductor.controls import Controls
from hetwin_core.ensemble.conductor.parts import assemble
from hetwin_core.ensemble.conductor.reporting.listener import ListenerGroup
from hetwin_core.ensemble.conductor.start.lifecycle import PreparedRun
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import Refused, RunFailed
from hetwin_core.ensemble.model import MainChanges, MainModel, MainTick, Request, RequestKind
from hetwin_core.ensemble.scenario import strict_yaml
from hetwin_core.ensemble.scenario.scenario import Scenario, build_scenario
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.scene import ResponsibilityTable, Scene
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Value, pose_value
from hetwin_core.ensemble.transport.local import LocalPort

MODELS = ("main", "a", "b", "c")
TEXT = "scenario: machine\nmodels:\n" + "".join(
    f'  {name}: {{type: "support.handover_machine:Keeper", main: {str(name == "main").lower()}}}\n'
    for name in MODELS
)
ATTRIBUTES = (AttributeSpec("pose", 13), AttributeSpec("heat", 1), AttributeSpec("odd", 3))
ENTITIES = ("x", "y")


class Keeper(MainModel):
    """Keeps what it takes; refuses or fails as often as it is told to."""

    provides = ATTRIBUTES[:2]  # no model provides the last attribute

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Value | None] = {}
        self.log: list[tuple[str, str, str, bytes]] = []
        self.plan: list[str] = []

    def step(self, tick: MainTick) -> MainChanges:
        return MainChanges(tick.time_ns)

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        self._maybe("take")
        if (entity, attribute) in self.kept:
            raise AssertionError(f"{entity}.{attribute} is taken twice")
        self.kept[entity, attribute] = value
        self.log.append(("take", entity, attribute, value.data.tobytes()))

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        self._maybe("release")
        del self.kept[entity, attribute]
        value = Value(scene.get(entity, attribute) + 0.0, scene.time_ns)
        self.log.append(("release", entity, attribute, value.data.tobytes()))
        return value

    def _maybe(self, call: str) -> None:
        deed = self.plan.pop(0) if self.plan else "do"
        if deed == "refuse":
            raise Refused(call)
        if deed == "fail":
            raise ValueError(call)


@cache
def _scenario() -> Scenario:
    path = Path("machine.yaml")
    return build_scenario(strict_yaml.parse(TEXT, path), path)


class Machine:
    """Models, scene and handovers; `believed` is what the models themselves hold to be true."""

    def __init__(self) -> None:
        scenario = _scenario()
        self.ports = [LocalPort(plan) for plan in scenario.models]
        self.models: list[Keeper] = [p.model for p in self.ports]  # type: ignore[misc]
        slots = [(e, a) for e in ENTITIES for a in ATTRIBUTES]
        layout = Layout.build([Entity(e, EntityKind.OBJECT) for e in ENTITIES], slots)
        owners = np.arange(len(slots), dtype=np.int32) % len(MODELS)
        table = ResponsibilityTable(layout, MODELS, owners)
        self.scene = Scene(layout, table, 0)
        for slot, (entity, attribute) in enumerate(slots):
            self.models[owners[slot]].kept[entity, attribute.name] = None
            start = pose_value((slot, 0, 0)) if attribute.name == "pose" else None
            self.scene.put(slot, start or Value(np.full(attribute.size, float(slot)), 0))
        ready = PreparedRun(
            self.scene, (), (), None, "", (), "", True, {}, 0, (), lambda _, error: error, {}
        )
        group = ListenerGroup([])
        parts = assemble(scenario, self.ports, group, RunOptions(), ready, Controls())
        self.handovers, self._effects = parts.handovers, parts.effects
        self.failed: RunFailed | None = None

    def go_on(self, time_ns: int) -> None:
        """Let time pass, and the values change."""
        self.scene.resolve(self.scene.time_ns + time_ns)

    def ask(self, model: int, slot: int, give_back: bool = False) -> None:
        """A model asks for an attribute, or gives it back; after a failure nothing happens any more."""
        place = self.scene.layout.slots[slot]
        kind = RequestKind.GIVE_BACK if give_back else RequestKind.TAKE
        request = Request(kind, place.entity, place.attribute.name)
        self._try(lambda: self._effects.carry_out_requests(self.ports[model], [request]))

    def hand_over(self, model: int, slot: int) -> None:
        """A trigger hands an attribute over."""
        place = self.scene.layout.slots[slot]
        self._try(
            lambda: self._effects.hand_over(place.entity, place.attribute.name, MODELS[model], "t")
        )

    def _try(self, work: Any) -> None:
        if self.failed is not None:
            return
        try:
            work()
        except RunFailed as failure:
            self.failed = failure

    def believed(self) -> dict[tuple[str, str], list[int]]:
        """Which models believe to own each attribute."""
        return {
            (slot.entity, slot.attribute.name): [
                i
                for i, model in enumerate(self.models)
                if (slot.entity, slot.attribute.name) in model.kept
            ]
            for slot in self.scene.layout.slots
        }

    def recorded(self) -> dict[tuple[str, str], list[int]]:
        """Who owns each attribute according to the table."""
        return {
            (slot.entity, slot.attribute.name): [self.scene.table.owner(i)]
            for i, slot in enumerate(self.scene.layout.slots)
        }

    def moved(self) -> Sequence[tuple[int, bytes]]:
        """New owner and value of each handover."""
        return [(MODELS.index(h.to_model), h.value.data.tobytes()) for h in self.handovers.done]
