"""Outputs of a network in a run: events, velocities of a base, attributes, and the states of its machines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hetwin_machines.cycle import FAULTS
from hetwin_machines.expressions.operations import Value
from hetwin_machines.machine_network.settings import DriveSignals, EventRule, SignalWords
from hetwin_machines.network import Network
from hetwin_machines.observation.watch import ObservedCycle
from hetwin_machines.words import MACHINE_FAULT, MACHINE_STATE
from hetwin_suite.model import (
    DRIVE_BASE,
    AttributeSpec,
    BadInput,
    Event,
    Floats,
    Json,
    Layout,
    Reference,
    Selection,
    Snapshot,
)

Signals = Mapping[str, Value | None]
GetArgument = Callable[[Floats, Signals], Json]
"""Returns an argument of an event, given all numbers of the scene and the signals of the network."""


class EventRaiser:
    """Raises events whenever certain signals are true.

    Args:
        entries: event -> the signal that raises it, and its arguments.

    Raises:
        BadInput: if a reference in an argument is malformed.
    """

    def __init__(self, entries: Mapping[str, EventRule]) -> None:
        self._entries = dict(entries)
        self._references = {
            (name, argument): Reference.from_text(argument_value, _argument_key(name, argument))
            for name, entry in entries.items()
            for argument, argument_value in entry.arguments.items()
            if isinstance(argument_value, str) and "." in argument_value
        }
        self._getters: dict[str, dict[str, GetArgument]] = {}

    @property
    def selections(self) -> tuple[Selection, ...]:
        """The attributes that snapshots of the scene must contain."""
        return tuple(reference.selection for reference in self._references.values())

    def start(self, layout: Layout) -> None:
        """Locate the numbers that arguments refer to in the scene.

        Raises:
            BadInput: if the scene does not have them.
        """
        for name, entry in self._entries.items():
            self._getters[name] = {
                argument: self._getter(name, argument, argument_value, layout)
                for argument, argument_value in entry.arguments.items()
            }

    def events(self, scene: Snapshot, signals: Signals, time_ns: int) -> list[Event]:
        """Return the events of this step."""
        return [
            Event(
                name,
                time_ns,
                arguments={
                    argument: get(scene.values, signals)
                    for argument, get in self._getters[name].items()
                },
            )
            for name, entry in self._entries.items()
            if signals.get(entry.when) is True
        ]

    def _getter(self, name: str, argument: str, argument_value: Any, layout: Layout) -> GetArgument:
        if isinstance(argument_value, SignalWords):
            signal, words = argument_value.signal, argument_value.words
            return lambda _, signals: _word(words, signals.get(signal))
        if not isinstance(argument_value, str):
            return lambda _scene, _signals: argument_value
        reference = self._references.get((name, argument))
        if reference is None:
            return lambda _, signals: signals.get(argument_value)
        where = _argument_key(name, argument)
        _, indices = reference.find(layout, where)
        if len(indices) != 1:
            raise BadInput(
                "an argument must be one number, not several",
                where=where,
                found=reference.text,
                expected="ENTITY.ATTRIBUTE[INDEX]",
            )
        index = int(indices[0]) + layout.range_of(*reference.key).start
        return lambda scene, _: float(scene[index])


def _argument_key(name: str, argument: str) -> str:
    return f"raises.{name}.arguments.{argument}"


def _word(words: Mapping[int, str], value: Value | None) -> Json:
    return words.get(int(value)) if isinstance(value, int | float) else None


class BaseDriver:
    """Drives the base of a robot with an event whenever its velocities change.

    Args:
        drives: signals with the velocities; None if no base is driven.
    """

    def __init__(self, drives: DriveSignals | None) -> None:
        self._drives = drives
        self._last = (0.0, 0.0)

    def events(self, signals: Signals, time_ns: int) -> list[Event]:
        """Return the event if a velocity has changed; a signal without a numeric value counts as zero."""
        if self._drives is None:
            return []
        velocities = (signals.get(self._drives.forward), signals.get(self._drives.turn))
        forward, turn = (0.0 if x is None or isinstance(x, bool) else float(x) for x in velocities)
        if (forward, turn) == self._last:
            return []
        self._last = (forward, turn)
        return [Event(DRIVE_BASE, time_ns, arguments={"forward": forward, "turn": turn})]


def reasons_of(network: Network, cycle: ObservedCycle) -> dict[str, str]:
    """Return machine -> why it changed in a cycle: the guard of the arc it took, or the reason for its fault."""
    reasons = dict(cycle.fault_reasons)
    for machine in network.machines:
        index = cycle.arcs.get(machine.name)
        if index is not None:
            arc = machine.states[cycle.before[machine.name]][index]
            reasons[machine.name] = f"arc {index}: {' '.join(arc.guard.text.split())}"
    return reasons


class StateReporter:
    """Reports changes of the state or stack of machines."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[str, list[str]]] = {}

    def events(
        self, machines: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, str], time_ns: int
    ) -> list[Event]:
        """Return the events of a step.

        Args:
            machines: machine -> its state and stack at the end of the step.
            reasons: machine -> why it changed; machines in their initial state are missing.
            time_ns: time of the events [ns].
        """
        events: list[Event] = []
        for name, entry in machines.items():
            state, stack = entry["state"], entry["stack"]
            previous = self._last.get(name)
            if previous == (state, stack):
                continue
            self._last[name] = (state, list(stack))
            arguments: dict[str, Json] = {"machine": name, "state": state, "stack": list(stack)}
            reason: dict[str, Json] = {"why": reasons[name]} if name in reasons else {}
            arguments |= reason
            events.append(Event(MACHINE_STATE, time_ns, arguments=arguments))
            if state in FAULTS:
                fault: dict[str, Json] = {"machine": name, "fault": state.strip("_").lower()}
                fault["state"] = None if previous is None else previous[0]
                fault |= reason
                events.append(Event(MACHINE_FAULT, time_ns, arguments=fault))
        return events


class AttributeWriter:
    """Writes signals of a network to attributes of the scene.

    Args:
        attributes: ENTITY.ATTRIBUTE -> signal.

    Raises:
        BadInput: if a key does not have this form.
    """

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self._signals: dict[tuple[str, str], str] = {}
        for name, signal in attributes.items():
            entity, _, attribute = name.rpartition(".")
            if not entity or not attribute.isidentifier():
                raise BadInput(
                    "not the name of an attribute",
                    where=f"attributes.{name}",
                    found=name,
                    expected="ENTITY.ATTRIBUTE",
                )
            self._signals[entity, attribute] = signal
        self._last = {key: np.zeros(1) for key in self._signals}

    @property
    def specs(self) -> list[tuple[str, AttributeSpec]]:
        """Entity and specification of each attribute."""
        return [(entity, AttributeSpec(attribute)) for entity, attribute in self._signals]

    def values(self, signals: Signals) -> dict[tuple[str, str], Floats]:
        """Return (1,) the value of each attribute; it keeps its last value while the signal has none."""
        for key, signal in self._signals.items():
            value = signals.get(signal)
            if value is not None:
                self._last[key] = np.full(1, float(value))
        return dict(self._last)
