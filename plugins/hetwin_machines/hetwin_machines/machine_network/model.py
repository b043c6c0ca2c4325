"""The model `MachineNetwork`: a network of state machines that reads the scene and events and acts on the twin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from hetwin_machines.machine_network.acting import (
    AttributeWriter,
    BaseDriver,
    EventRaiser,
    StateReporter,
    reasons_of,
)
from hetwin_machines.machine_network.event_queues import EventQueues
from hetwin_machines.machine_network.sensing import InputReader
from hetwin_machines.machine_network.settings import Settings
from hetwin_machines.network import Network
from hetwin_machines.network_files import load_network
from hetwin_machines.observation.watch import Watch
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

NETWORK_OVER = "network_over"


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
        NETWORK_OVER: "a machine has ended the network: machine",
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
        self._input_reader = InputReader(settings.inputs)
        self._event_queues = EventQueues(settings.events)
        self._event_raiser = EventRaiser(settings.raises)
        self._base_driver = BaseDriver(settings.drives)
        self._attributes = AttributeWriter(settings.attributes)
        self._state_reporter = StateReporter()
        self._signals: Mapping[str, Any] = self._run.monitor()["signals"]
        self._inputs = dict(self._input_reader.constants)
        scene.entities = tuple(Entity(name, EntityKind.CONCEPT) for name in settings.concepts)
        for entity, attribute in self._attributes.specs:
            scene.set(entity, attribute, 0.0)
        scene.needs(*self._input_reader.selections, *self._event_raiser.selections)

    def start(self, scene: Snapshot) -> None:
        """Locate the numbers that the network needs in the scene.

        Raises:
            BadInput: if the scene does not have them.
        """
        self._input_reader.start(scene.layout)
        self._event_raiser.start(scene.layout)

    def step(self, tick: Tick) -> Changes:
        """Execute a step of the network."""
        self._event_queues.add(tick.events)
        changes = tick.changes()
        if not self._run.is_over:
            changes.events += self._advance(tick)
        for key, data in self._attributes.values(self._signals).items():
            changes.set(*key, data)
        return changes

    def _advance(self, tick: Tick) -> list[Event]:
        triggered = self._event_queues.next(self._signals)
        self._inputs |= {n: v for n, v in triggered.items() if n in self._network.inputs}
        outside = self._inputs | self._input_reader.values(tick.scene, self._signals) | triggered
        machines: Mapping[str, Any] = {}
        reasons: dict[str, str] = {}
        for cycle in self._run.step(outside):
            machines, self._signals = cycle.line["machines"], cycle.line["signals"]
            reasons |= reasons_of(self._network, cycle)
        events = [
            *self._state_reporter.events(machines, reasons, tick.time_ns),
            *self._base_driver.events(self._signals, tick.time_ns),
            *self._event_raiser.events(tick.scene, self._signals, tick.time_ns),
        ]
        if self._run.is_over:
            events.append(Event(NETWORK_OVER, tick.time_ns))
        return events


def _check(network: Network, settings: Settings) -> None:
    """Check that the settings define all inputs and events of the network, and that all signals they use exist.

    Raises:
        BadInput: if not.
    """
    from_events = {name for entry in settings.events.values() for name in entry.values}
    _check_known(settings.inputs, network.inputs, "inputs", "input")
    _check_known(settings.events, network.events, "events", "event")
    for name, entry in settings.events.items():
        _check_known(entry.values, network.inputs, f"events.{name}.values", "input")
        if entry.waits_for is not None:
            _check_known([entry.waits_for], network.signals, f"events.{name}.waits_for", "signal")
    for kind, names, defined in (
        ("inputs", network.inputs, {*settings.inputs, *from_events}),
        ("events", network.events, set(settings.events)),
    ):
        for name in names:
            if name not in defined:
                raise BadInput(
                    f"the network's {kind[:-1]} {name} has no source",
                    where=kind,
                    expected=f"{name}: its source",
                )
    for name, signal in InputReader(settings.inputs).indices:
        _check_known([signal], network.signals, f"inputs.{name}.index", "signal")
    for name, raised in settings.raises.items():
        _check_known([raised.when], network.signals, f"raises.{name}.when", "signal")
    for name, signal in settings.attributes.items():
        _check_known([signal], network.signals, f"attributes.{name}", "signal")
    if settings.drives is not None:
        _check_known(
            [settings.drives.forward, settings.drives.turn], network.signals, "drives", "signal"
        )


def _check_known(names: Iterable[str], known: tuple[str, ...], where: str, kind: str) -> None:
    for name in names:
        if name not in known:
            raise BadInput(
                f"the network has no such {kind}",
                where=where,
                found=name,
                expected=one_of(name, known),
            )
