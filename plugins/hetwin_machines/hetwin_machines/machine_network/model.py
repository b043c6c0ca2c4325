"""The model `MachineNetwork`: a network of state machines that reads the scene and events and acts on the twin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from hetwin_machines.machine_network.acting import (
    AttributeWriter,
    Driving,
    Raising,
    States,
    reasons_of,
)
from hetwin_machines.machine_network.happenings import Happenings
from hetwin_machines.machine_network.sensing import Sensing
from hetwin_machines.machine_network.settings import Settings
from hetwin_machines.network import Network
from hetwin_machines.network_files import load_network
from hetwin_machines.seeing.watch import Watch
from hetwin_machines.words import MACHINE_FAULT, MACHINE_STATE
from hetwin_suite.model import (
    ANY_ATTRIBUTE,
    DRIVE_BASE,
    BadInput,
    Changes,
    Contribution,
    Entity,
    EntityKind,
    Event,
    Model,
    Snapshot,
    Tick,
    one_of,
)

OVER = "network_over"


class MachineNetwork(Model[Settings]):
    """Executes one step of the network in each of its own steps.

    The inputs of the network come from the scene at the beginning of the step. An event of the run is given to the
    network in a single step; further events of the same kind follow in later steps, in order, and so do events that
    wait for a signal. Signals set by the machines raise events, drive the base of the robot, and set attributes.
    """

    summary = "A network of state machines that senses the scene and acts by events, commands and attributes."
    rate = 20.0
    provides = (ANY_ATTRIBUTE,)
    raises: ClassVar[Mapping[str, str]] = {
        MACHINE_STATE: "a machine has another state or stack: machine, state, stack, why (its arc)",
        MACHINE_FAULT: "a machine has a fault, and stays in it: machine, fault, state (before it), why",
        DRIVE_BASE: "the base is to move: forward [m/s], turn [rad/s]",
        OVER: "a machine has ended the network: machine",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Read the network, and check that the settings define all its inputs and events.

        Raises:
            BadInput: if they do not, or if the network cannot be used.
        """
        network = load_network(settings.file)
        _check(network, settings)
        self._network = network
        self._run = Watch(network, changes_only=True)
        self._sensing = Sensing(settings.inputs)
        self._happenings = Happenings(settings.events)
        self._raising = Raising(settings.raises)
        self._driving = Driving(settings.drives)
        self._attributes = AttributeWriter(settings.attributes)
        self._states = States()
        self._signals: Mapping[str, Any] = self._run.monitor()["signals"]
        self._inputs = dict(self._sensing.constants)
        scene.entities = tuple(Entity(name, EntityKind.CONCEPT) for name in settings.concepts)
        for entity, attribute in self._attributes.specs:
            scene.set(entity, attribute, 0.0)
        scene.needs(*self._sensing.selections, *self._raising.selections)

    def start(self, scene: Snapshot) -> None:
        """Locate the numbers that the network needs in the scene.

        Raises:
            BadInput: if the scene does not have them.
        """
        self._sensing.start(scene.layout)
        self._raising.start(scene.layout)

    def step(self, tick: Tick) -> Changes:
        """Execute a step of the network."""
        self._happenings.add(tick.events)
        changes = tick.changes()
        if not self._run.is_over:
            changes.events += self._advance(tick)
        for key, data in self._attributes.values(self._signals).items():
            changes.set(*key, data)
        return changes

    def _advance(self, tick: Tick) -> list[Event]:
        happening = self._happenings.next(self._signals)
        self._inputs |= {n: v for n, v in happening.items() if n in self._network.inputs}
        outside = self._inputs | self._sensing.values(tick.scene, self._signals) | happening
        machines: Mapping[str, Any] = {}
        reasons: dict[str, str] = {}
        for seen in self._run.step(outside):
            machines, self._signals = seen.line["machines"], seen.line["signals"]
            reasons |= reasons_of(self._network, seen)
        events = [
            *self._states.events(machines, reasons, tick.time_ns),
            *self._driving.events(self._signals, tick.time_ns),
            *self._raising.events(tick.scene, self._signals, tick.time_ns),
        ]
        if self._run.is_over:
            events.append(Event(OVER, tick.time_ns))
        return events


def _check(network: Network, settings: Settings) -> None:
    """Check that the settings define all inputs and events of the network, and that all signals they use exist.

    Raises:
        BadInput: if not.
    """
    from_events = {name for entry in settings.events.values() for name in entry.values}
    _known(settings.inputs, network.inputs, "inputs", "input")
    _known(settings.events, network.events, "events", "event")
    for name, entry in settings.events.items():
        _known(entry.values, network.inputs, f"events.{name}.values", "input")
        if entry.waits_for is not None:
            _known([entry.waits_for], network.signals, f"events.{name}.waits_for", "signal")
    for kind, names, given in (
        ("inputs", network.inputs, {*settings.inputs, *from_events}),
        ("events", network.events, set(settings.events)),
    ):
        for name in names:
            if name not in given:
                raise BadInput(
                    f"nothing gives the network's {kind[:-1]} {name}",
                    where=kind,
                    expected=f"{name}: where it comes from",
                )
    for name, signal in Sensing(settings.inputs).indices:
        _known([signal], network.signals, f"inputs.{name}.index", "signal")
    for name, raised in settings.raises.items():
        _known([raised.when], network.signals, f"raises.{name}.when", "signal")
    for name, signal in settings.attributes.items():
        _known([signal], network.signals, f"attributes.{name}", "signal")
    if settings.drives is not None:
        _known([settings.drives.forward, settings.drives.turn], network.signals, "drives", "signal")


def _known(names: Iterable[str], known: tuple[str, ...], where: str, what: str) -> None:
    for name in names:
        if name not in known:
            raise BadInput(
                f"the network has no such {what}",
                where=where,
                found=name,
                expected=one_of(name, known),
            )
