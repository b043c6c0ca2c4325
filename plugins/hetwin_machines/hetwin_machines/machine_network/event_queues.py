"""Queues of the run's events for a network, which gets at most one of each kind per step, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from hetwin_machines.expressions.operations import LIMIT, Value
from hetwin_machines.machine_network.settings import EventTrigger
from hetwin_suite.model import Event, EventKind, Json, RunFailed


class EventQueues:
    """A queue of the run's events for each event of the network.

    Args:
        entries: event of the network -> the event or message of the run that triggers it.
    """

    def __init__(self, entries: Mapping[str, EventTrigger]) -> None:
        self._entries = dict(entries)
        self._queues: dict[str, deque[Event]] = {name: deque() for name in entries}

    def add(self, events: Iterable[Event]) -> None:
        """Queue the events that trigger an event of the network."""
        for event in events:
            for name, entry in self._entries.items():
                if _triggers(event, entry):
                    self._queues[name].append(event)

    def next(self, outputs: Mapping[str, Value | None]) -> dict[str, Value]:
        """Return the events of the next step, as signal -> True, and the inputs that they set.

        Raises:
            RunFailed: if an argument that sets an input is neither a finite number nor a Boolean.
        """
        values: dict[str, Value] = {}
        for name, entry in self._entries.items():
            queue = self._queues[name]
            if not queue or (entry.waits_for and outputs.get(entry.waits_for) is not True):
                continue
            event = queue.popleft()
            values[name] = True
            for signal, argument in entry.values.items():
                values[signal] = _value(event, argument)
        return values


def _triggers(event: Event, entry: EventTrigger) -> bool:
    if entry.topic is not None:
        if event.kind is not EventKind.TOPIC or event.name.lstrip("/") != entry.topic.lstrip("/"):
            return False
    elif entry.of not in (event.name, f"{event.source}.{event.name}"):
        return False
    return all(_argument(event, argument) == value for argument, value in entry.only.items())


def _argument(event: Event, path: str) -> Json:
    value: Json = dict(event.arguments)
    for part in path.split("."):
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value


def _value(event: Event, argument: str) -> Value:
    value = _argument(event, argument)
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and -LIMIT <= value < LIMIT:
        return value
    if isinstance(value, float) and value - value == 0.0:
        return value
    raise RunFailed(
        event.source,
        event.name,
        event.time_ns,
        f"its argument {argument} is {value!r}; a network expects a finite number or a Boolean",
    )
