"""Events of a live robot that the run has not come to yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from hetwin_core.ensemble.events import Event
from model_nodes.main_physics.sources.live.told import since_begin


class WaitingEvents:
    """Keeps events by the robot's clock, and returns them by the run's when they are due; not thread-safe."""

    def __init__(self) -> None:
        self._waiting: list[Event] = []
        self._numbers: dict[str, int] = {}
        self._epoch_ns = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._waiting)

    def add(self, events: Iterable[Event]) -> None:
        """Add events; their times are the robot's [ns]."""
        self._waiting.extend(events)

    def note(self, time_ns: int, name: str, arguments: Mapping[str, Any]) -> None:
        """Add an event of the main model itself, at a time of the run [ns]."""
        self._waiting.append(Event(name, self._epoch_ns + time_ns, arguments=dict(arguments)))

    def set_epoch(self, epoch_ns: int) -> None:
        """Take a time of the robot as the run's time 0 [ns], and drop what was over before."""
        self._epoch_ns = epoch_ns
        self._waiting = since_begin(self._waiting, epoch_ns)

    def due(self, time_ns: int) -> list[Event]:
        """Take the events up to and including a time of the run [ns], by time; those of other sources are numbered."""
        until = self._epoch_ns + time_ns
        found = sorted(
            (event for event in self._waiting if event.time_ns <= until),
            key=lambda event: event.time_ns,
        )
        self._waiting = [event for event in self._waiting if event.time_ns > until]
        return [self._numbered(event) for event in found]

    def skip(self, time_ns: int, skipped_ns: int) -> None:
        """Leave out a time after one of the run [ns]: what happened in it is due at once, the rest as much earlier."""
        begin = self._epoch_ns + time_ns
        moved = (max(e.time_ns - skipped_ns, min(e.time_ns, begin)) for e in self._waiting)
        self._waiting = [
            replace(event, time_ns=then) for event, then in zip(self._waiting, moved, strict=True)
        ]

    def _numbered(self, event: Event) -> Event:
        time_ns = max(0, event.time_ns - self._epoch_ns)
        if not event.source:
            return replace(event, time_ns=time_ns)
        number = self._numbers.get(event.source, 0)
        self._numbers[event.source] = number + 1
        return replace(event, time_ns=time_ns, sequence=number)
