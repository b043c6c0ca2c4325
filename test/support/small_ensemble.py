"""Runs small ensembles from YAML text and remembers what happened; models that do what a test tells them."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    MainChanges,
    MainContribution,
    MainModel,
    MainTick,
    Model,
    Request,
    RequestKind,
    Tick,
)
from hetwin_core.ensemble.parameters import Parameters, parameter
from hetwin_core.ensemble.scenario import strict_yaml
from hetwin_core.ensemble.scenario.scenario import Scenario, build_scenario
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Value, pose_value
from hetwin_core.ensemble.transport.local import LocalPort

TAKEN_AND_GIVEN_BACK = """\
responsibilities:
  - {entity: ball, attribute: pose, model: physics}
triggers:
  - {name: holds, on: {action: move_hand}, do: [{hand_over: {entity: ball, attribute: pose, to: grasp}}]}
  - name: lets_go
    on: {attribute: pose, entity: hand, index: 0, above: 0.03}
    do: [{hand_over: {entity: ball, attribute: pose, to: physics}}]
"""
"""End of a scenario with `physics` and `grasp`, which has the ball while the hand moves."""
HEADER = """
scenario: small
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.2}}
"""


class Recorder(RunListener):
    """A listener that keeps everything."""

    def __init__(self) -> None:
        self.starts: list[RunStart] = []
        self.scenes: list[Snapshot] = []
        self.events: list[Event] = []
        self.beliefs: list[Event] = []
        self.handovers: list[Handover] = []
        self.notes: list[tuple[int, str, str, str]] = []
        self.summaries: list[RunSummary] = []
        self.calls: list[str] = []

    def started(self, start: RunStart) -> None:
        self.calls.append("started")
        self.starts.append(start)

    def stepped(self, step: int, scene: Snapshot) -> None:
        self.calls.append(f"stepped {step}")
        copy = Snapshot(
            scene.layout,
            scene.models,
            scene.time_ns,
            scene.values.copy(),
            scene.owners.copy(),
            scene.parents.copy(),
            proximity_tables(scene.proximity.copy()),
        )
        self.scenes.append(copy)

    def event(self, event: Event) -> None:
        self.calls.append(f"event {event.name}")
        self.events.append(event)

    def belief(self, event: Event) -> None:
        self.beliefs.append(event)

    def handover(self, handover: Handover) -> None:
        self.calls.append(f"handover {handover.to_model}")
        self.handovers.append(handover)

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        self.notes.append((time_ns, level, source, text))

    def ended(self, summary: RunSummary) -> None:
        self.calls.append("ended")
        self.summaries.append(summary)


@dataclass
class Outcome:
    """What is known after a run."""

    summary: RunSummary
    record: Recorder
    models: dict[str, Any] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Names of the events, in the order in which they were handled."""
        return [event.name for event in self.record.events]

    def moves(self) -> list[tuple[float, str, str]]:
        """Time, former and new owner of each handover."""
        return [(h.time_ns / 1e9, h.from_model, h.to_model) for h in self.record.handovers]

    def warnings(self) -> list[str]:
        """Texts of the warnings."""
        return [text for _, level, _, text in self.record.notes if level == "warning"]


def scenario(text: str) -> Scenario:
    """Read a scenario from YAML text."""
    path = Path("small.yaml")
    return build_scenario(strict_yaml.parse(textwrap.dedent(text), path), path)


def conduct(text: str, **options: Any) -> tuple[Conductor, list[LocalPort], Recorder]:
    """A conductor that has not begun, its ports and its listener."""
    read = scenario(text)
    ports = [LocalPort(plan) for plan in read.models]
    record = Recorder()
    conductor = session(read, options=RunOptions(**options), listeners=[record], ports=ports)
    return conductor, ports, record


def run(text: str, *outside: Event, **options: Any) -> Outcome:
    """Run a scenario; `outside` arrives before the first step."""
    conductor, ports, record = conduct(text, **options)
    for event in outside:
        conductor.notify(event)
    conductor.prepare()
    summary = conductor.run()
    return Outcome(summary, record, {port.plan.name: port.model for port in ports})


class WatcherSettings(Parameters):
    tells: list[dict[str, Any]] = parameter("", [])
    asks: list[dict[str, Any]] = parameter("", [])
    sleep: float = 0.0


class Watcher(Model[WatcherSettings]):
    """Remembers every step that it takes; tells events and asks for responsibilities when it is told to.

    Its parameter `tells` is a list of {at, name, stamp, kind, source, arguments}; `asks` one of
    {at, kind, entity, attribute}.
    """

    provides = (POSE,)

    def initialize(self, settings: WatcherSettings, scene: Contribution) -> None:
        self._tells = list(settings.tells)
        self._asks = list(settings.asks)
        self._sleep = settings.sleep
        self.ticks: list[Tick] = []
        self.saw: list[tuple[float, float]] = []
        self.commands: list[tuple[str, dict[str, Any]]] = []
        self.held: dict[tuple[str, str], Value] = {}
        self.stops = 0

    def step(self, tick: Tick) -> Changes:
        time.sleep(self._sleep)
        self.ticks.append(tick)
        self.saw.append((tick.scene.time_ns / 1e9, float(tick.scene.pose("hand")[0])))
        now = tick.time_ns / 1e9
        changes = tick.changes()
        changes.values.update(self.held)
        changes.events = [_event(t, now) for t in self._tells if t["at"] <= now]
        self._tells = [t for t in self._tells if t["at"] > now]
        changes.requests = [
            Request(RequestKind(a["kind"]), a["entity"], a.get("attribute", "pose"))
            for a in self._asks
            if a["at"] <= now
        ]
        self._asks = [a for a in self._asks if a["at"] > now]
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        self.held[entity, attribute] = value

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        value = self.held.pop((entity, attribute))
        return Value(scene.get(entity, attribute).copy(), scene.time_ns, value.parent)

    def command(self, name: str, arguments: Mapping[str, Any]) -> None:
        if name == "no":
            raise Refused("never")
        self.commands.append((name, dict(arguments)))

    def stop(self) -> None:
        self.stops += 1

    @property
    def times(self) -> list[float]:
        """Times that it was asked to step to."""
        return [tick.time_ns / 1e9 for tick in self.ticks]


def _event(told: Mapping[str, Any], now: float) -> Event:
    return Event(
        told["name"],
        round(told.get("stamp", now) * 1e9),
        EventKind(told.get("kind", "model")),
        told.get("source", ""),
        arguments=told.get("arguments", {}),
    )


class GaugeSettings(Parameters):
    levels: list[float]


class Gauge(MainModel[GaugeSettings]):
    """Main model with a number that follows a list, one entry per step, and is 0 afterwards."""

    LEVEL = AttributeSpec("level", 1, "m")
    provides = (LEVEL, POSE)

    def initialize(self, settings: GaugeSettings, scene: MainContribution) -> None:
        self._levels = list(settings.levels)
        scene.add(Entity("tank", EntityKind.CONCEPT))
        scene.add(Entity("hand", EntityKind.HAND))
        scene.set("tank", self.LEVEL, 0.0)
        scene.set("hand", POSE, pose_value((0.0, 0.0, 0.0)).data)

    def step(self, tick: MainTick) -> MainChanges:
        level = self._levels.pop(0) if self._levels else 0.0
        block = np.concatenate([[level], pose_value((0.0, 0.0, 0.0)).data])
        return MainChanges(tick.time_ns, block=block, ended=not self._levels)


class Misbehaving(Watcher):
    """Does what the class attribute `deeds` says for a call; tests set it."""

    deeds: ClassVar[dict[str, Callable[..., Any]]] = {}

    def __init__(self) -> None:
        self._do("register")

    def initialize(self, settings: WatcherSettings, scene: Contribution) -> None:
        super().initialize(settings, scene)
        self._do("initialize")

    def start(self, scene: Snapshot) -> None:
        self._do("start")

    def step(self, tick: Tick) -> Changes:
        found = super().step(tick)
        deed = self.deeds.get("step")
        return found if deed is None else deed(tick)

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        self._do("take")
        super().take(entity, attribute, value, scene)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        found = super().release(entity, attribute, scene)
        deed = self.deeds.get("release")
        return found if deed is None else deed(found)

    def command(self, name: str, arguments: Mapping[str, Any]) -> None:
        self._do("command")

    def stop(self) -> None:
        super().stop()
        self._do("stop")

    def _do(self, call: str) -> Any:
        deed = self.deeds.get(call)
        return None if deed is None else deed()
