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
"""A cup attaches to a packet nearer than this [m]."""


class Plunger:
    """The script of one plunger.

    Attributes:
        held: the packet that its cup has touched first; None: none yet.
    """

    def __init__(self) -> None:
        self.held: str | None = None

    def step(self, distance: float, packet: str | None) -> None:
        """Update with the reading of the cup's sensor: distance from its centre [m], and what it sees."""
        if self.held is None and distance < CUP_RADIUS + TOUCH_DISTANCE:
            self.held = packet


class Settings(Parameters):
    """The parameters of the model."""

    cups: EntityNames = parameter("links with the sensors, one of each plunger", "plunger_*_cup")
    packets: Text = parameter("what the cups can hold: names begin so", "packet_")
    suction: Text = parameter("operation during which the cups suck", "suck")


class PlungerScripts(Model[Settings]):
    """Runs the script of each plunger whose cup has high fidelity, and says what the cups hold while they suck."""

    summary = "Says what the cups of a truck's unloader hold, by the sensor of each."
    rate = 200.0
    raises: ClassVar[Mapping[str, str]] = {
        "holds": "the cups suck, and hold a packet: object",
        "lets_go": "the cups suck no more: object",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Make a script for each cup."""
        self._scripts = {cup: Plunger() for cup in settings.cups}
        self._held: list[str] = []
        names = ("range", "range_seen", FIDELITY.name)
        scene.needs(*((cup, name) for cup in settings.cups for name in names))

    def step(self, tick: Tick) -> Changes:
        """Run the scripts, and follow the suction."""
        for cup, script in self._scripts.items():
            if _is_high(tick.scene, cup):
                script.step(float(tick.scene.get(cup, "range")[0]), self._seen(tick.scene, cup))
        changes = tick.changes()
        for event in tick.events:
            if event.kind is EventKind.ACTION and event.name == self.settings.suction:
                self._suck(event, changes)
        return changes

    def _seen(self, scene: Snapshot, cup: str) -> str | None:
        """The packet that a cup's sensor sees; None if it sees none."""
        index = int(scene.get(cup, "range_seen")[0])
        name = scene.layout.entities[index].name if index >= 0 else ""
        return name if name.startswith(self.settings.packets) else None

    def _suck(self, event: Event, changes: Changes) -> None:
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
    """Whether a cup is simulated in detail, as one of which nobody determines that is."""
    if not scene.layout.has(cup, FIDELITY.name):
        return True
    return float(scene.get(cup, FIDELITY.name)[0]) == Fidelity.HIGH
