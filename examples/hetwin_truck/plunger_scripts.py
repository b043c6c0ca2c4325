"""The scripts of the plungers: each holds the packet that its cup touches (Tallavajhula et al., 2019, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from hetwin_suite.model import (
    FIDELITY,
    Changes,
    Contribution,
    EntityNames,
    Event,
    EventKind,
    Fidelity,
    Model,
    Parameters,
    Snapshot,
    Text,
    Tick,
    parameter,
)
from hetwin_truck.robot import CUP_RADIUS

TOUCH_DISTANCE = 0.003
"""Maximum distance at which a cup attaches to a packet [m]."""


class Plunger:
    """The script of one plunger.

    Attributes:
        held: packet that its cup touched first; None: none yet.
    """

    def __init__(self) -> None:
        self.held: str | None = None

    def step(self, distance: float, packet: str | None) -> None:
        """Process a reading of the cup's sensor: distance from its centre [m], and the packet in front of it."""
        if self.held is None and distance < CUP_RADIUS + TOUCH_DISTANCE:
            self.held = packet


class Settings(Parameters):
    """The parameters of the model."""

    cups: EntityNames = parameter("links with the sensors, one for each plunger", "plunger_*_cup")
    packets: Text = parameter("prefix of the names of objects that cups can hold", "packet_")
    suction: Text = parameter("operation with suction", "suck")


class PlungerScripts(Model[Settings]):
    """Runs the script of each plunger whose cup has high fidelity, and reports held packets during suction."""

    summary = "Reports the packets that the cups of a truck's unloader hold, by the sensor of each."
    rate = 200.0
    raises: ClassVar[Mapping[str, str]] = {
        "holds": "a packet is held by suction: object",
        "lets_go": "suction has ended: object",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Create a script for each cup."""
        self._scripts = {cup: Plunger() for cup in settings.cups}
        self._held: list[str] = []
        names = ("range", "range_seen", FIDELITY.name)
        scene.needs(*((cup, name) for cup in settings.cups for name in names))

    def step(self, tick: Tick) -> Changes:
        """Run the scripts, and process the start and end of suction."""
        for cup, script in self._scripts.items():
            if _is_high(tick.scene, cup):
                script.step(
                    float(tick.scene.get(cup, "range")[0]), self._packet_in_front(tick.scene, cup)
                )
        changes = tick.changes()
        for event in tick.events:
            if event.kind is EventKind.ACTION and event.name == self.settings.suction:
                self._process_suction(event, changes)
        return changes

    def _packet_in_front(self, scene: Snapshot, cup: str) -> str | None:
        """Return the packet in front of a cup's sensor; None if there is none."""
        index = int(scene.get(cup, "range_seen")[0])
        name = scene.layout.entities[index].name if index >= 0 else ""
        return name if name.startswith(self.settings.packets) else None

    def _process_suction(self, event: Event, changes: Changes) -> None:
        if event.arguments.get("phase") == "begin":
            self._held = sorted({s.held for s in self._scripts.values() if s.held is not None})
            name = "holds"
        else:
            name = "lets_go"
            for script in self._scripts.values():
                script.held = None
        for packet in self._held:
            changes.event(name, object=packet)


def _is_high(scene: Snapshot, cup: str) -> bool:
    """Whether a cup has high fidelity, which is the default if no model determines it."""
    if not scene.layout.has(cup, FIDELITY.name):
        return True
    return float(scene.get(cup, FIDELITY.name)[0]) == Fidelity.HIGH
