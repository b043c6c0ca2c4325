"""What a network does in the run: events, driving a base, attributes, and the states of its machines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hetwin_machines.cycle import FAULTS
from hetwin_machines.expressions.operations import Value
from hetwin_machines.machine_network.settings import Drives, Raised, Words
from hetwin_machines.network import Network
from hetwin_machines.seeing.watch import Seen
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
Say = Callable[[Floats, Signals], Json]
"""Returns an argument of an event by all numbers of the scene, and the signals of the network."""


class Raising:
    """Raises events where signals say so.

    Args:
        entries: event -> when, and with which arguments.

    Raises:
        BadInput: if an argument cannot be read.
    """

    def __init__(self, entries: Mapping[str, Raised]) -> None:
        self._entries = dict(entries)
        self._references = {
            (name, argument): Reference.from_text(given, _where(name, argument))
            for name, entry in entries.items()
            for argument, given in entry.arguments.items()
            if isinstance(given, str) and "." in given
        }
        self._says: dict[str, dict[str, Say]] = {}

    @property
    def selections(self) -> tuple[Selection, ...]:
        """What a snapshot must hold."""
        return tuple(reference.selection for reference in self._references.values())

    def start(self, layout: Layout) -> None:
        """Find the numbers in the scene.

        Raises:
            BadInput: if it does not have them.
        """
        for name, entry in self._entries.items():
            self._says[name] = {
                argument: self._say(name, argument, given, layout)
                for argument, given in entry.arguments.items()
            }

    def events(self, scene: Snapshot, signals: Signals, time_ns: int) -> list[Event]:
        """Return the events of this step."""
        return [
            Event(
                name,
                time_ns,
                arguments={
                    argument: say(scene.values, signals)
                    for argument, say in self._says[name].items()
                },
            )
            for name, entry in self._entries.items()
            if signals.get(entry.when) is True
        ]

    def _say(self, name: str, argument: str, given: Any, layout: Layout) -> Say:
        if isinstance(given, Words):
            signal, words = given.signal, given.words
            return lambda _, signals: _word(words, signals.get(signal))
        if not isinstance(given, str):
            return lambda _scene, _signals: given
        reference = self._references.get((name, argument))
        if reference is None:
            return lambda _, signals: signals.get(given)
        where = _where(name, argument)
        _, inside = reference.find(layout, where)
        if len(inside) != 1:
            raise BadInput(
                "an argument is one number, and these are several",
                where=where,
                found=reference.text,
                expected="ENTITY.ATTRIBUTE[INDEX]",
            )
        place = int(inside[0]) + layout.range_of(*reference.key).start
        return lambda scene, _: float(scene[place])


def _where(name: str, argument: str) -> str:
    return f"raises.{name}.arguments.{argument}"


def _word(words: Mapping[int, str], value: Value | None) -> Json:
    return words.get(int(value)) if isinstance(value, int | float) else None


class Driving:
    """Drives a base: an event whenever its velocities change.

    Args:
        drives: the signals; None: it drives nothing.
    """

    def __init__(self, drives: Drives | None) -> None:
        self._drives = drives
        self._last = (0.0, 0.0)

    def events(self, signals: Signals, time_ns: int) -> list[Event]:
        """Return the event, if the velocities are others than before; signals without a value stop the base."""
        if self._drives is None:
            return []
        found = (signals.get(self._drives.forward), signals.get(self._drives.turn))
        forward, turn = (0.0 if x is None or isinstance(x, bool) else float(x) for x in found)
        if (forward, turn) == self._last:
            return []
        self._last = (forward, turn)
        return [Event(DRIVE_BASE, time_ns, arguments={"forward": forward, "turn": turn})]


def reasons_of(network: Network, seen: Seen) -> dict[str, str]:
    """Return why machines changed in a cycle: the guard of the arc that was taken, or the reason of a fault."""
    reasons = dict(seen.why)
    for machine in network.machines:
        index = seen.arcs.get(machine.name)
        if index is not None:
            arc = machine.states[seen.before[machine.name]][index]
            reasons[machine.name] = f"arc {index}: {' '.join(arc.guard.text.split())}"
    return reasons


class States:
    """Reports when a machine is in another state, or has another stack."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[str, list[str]]] = {}

    def events(
        self, machines: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, str], time_ns: int
    ) -> list[Event]:
        """Return the events of a step.

        Args:
            machines: what all were like at its end.
            reasons: why machines are in another state, in words; that of one in its initial state is missing.
            time_ns: of the events [ns].
        """
        found: list[Event] = []
        for name, now in machines.items():
            state, stack = now["state"], now["stack"]
            before = self._last.get(name)
            if before == (state, stack):
                continue
            self._last[name] = (state, list(stack))
            said: dict[str, Json] = {"machine": name, "state": state, "stack": list(stack)}
            reason: dict[str, Json] = {"why": reasons[name]} if name in reasons else {}
            said |= reason
            found.append(Event(MACHINE_STATE, time_ns, arguments=said))
            if state in FAULTS:
                fault: dict[str, Json] = {"machine": name, "fault": state.strip("_").lower()}
                fault["state"] = None if before is None else before[0]
                fault |= reason
                found.append(Event(MACHINE_FAULT, time_ns, arguments=fault))
        return found


class Given:
    """The attributes that a network gives.

    Args:
        attributes: ENTITY.ATTRIBUTE -> signal.

    Raises:
        BadInput: if a name is no attribute of an entity.
    """

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self._signals: dict[tuple[str, str], str] = {}
        for name, signal in attributes.items():
            entity, _, attribute = name.rpartition(".")
            if not entity or not attribute.isidentifier():
                raise BadInput(
                    "this names no attribute",
                    where=f"attributes.{name}",
                    found=name,
                    expected="ENTITY.ATTRIBUTE",
                )
            self._signals[entity, attribute] = signal
        self._last = {key: np.zeros(1) for key in self._signals}

    @property
    def specs(self) -> list[tuple[str, AttributeSpec]]:
        """Entity and attribute of each."""
        return [(entity, AttributeSpec(attribute)) for entity, attribute in self._signals]

    def values(self, signals: Signals) -> dict[tuple[str, str], Floats]:
        """Return (1,) the number of each; one whose signal has no value stays as it is."""
        for key, signal in self._signals.items():
            value = signals.get(signal)
            if value is not None:
                self._last[key] = np.full(1, float(value))
        return dict(self._last)
