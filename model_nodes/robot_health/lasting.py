"""Events of lasting conditions: at the start, whenever it becomes much worse, and at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from hetwin_core.ensemble.conductor.reporting.concerns import FROM, SEVERITY, TO, Severity
from hetwin_core.ensemble.events import Event, Json

Key: TypeAlias = tuple[str | int, ...]
"""Identifies an occurrence among those at the same time."""
MUCH_WORSE = 2.0
"""Factor by which the measure must grow since the last event for another event."""


class Found(NamedTuple):
    """A condition that was found at one step.

    Attributes:
        severity: of the condition.
        measure: grows with the condition.
        arguments: of the event, in SI units; texts must be the same at every step.
    """

    severity: Severity
    measure: float
    arguments: Mapping[str, Json]


@dataclass(slots=True)
class _Ongoing:
    from_ns: int
    last_ns: int
    worst: Found
    reported: Found | None = None


class LastingFindings:
    """Follows conditions from step to step.

    Args:
        name: of the events.
        hold_ns: maximum absence that does not end a condition [ns].
        delay_ns: minimum presence of a condition that is reported [ns].
    """

    def __init__(self, name: str, *, hold_ns: int = 100_000_000, delay_ns: int = 0) -> None:
        self._name = name
        self._hold_ns = hold_ns
        self._delay_ns = delay_ns
        self._open: dict[Key, _Ongoing] = {}

    @property
    def any(self) -> bool:
        """Whether any condition has not ended yet."""
        return bool(self._open)

    def update(self, time_ns: int, found: Mapping[Key, Found]) -> list[Event]:
        """Return the events of a step.

        Args:
            time_ns: of the step; the first event of a condition has the time of the step that first found it.
            found: all conditions at this step.
        """
        if not (found or self._open):
            return []
        events: list[Event] = []
        for key, condition in found.items():
            ongoing = self._open.get(key)
            if ongoing is not None and time_ns - ongoing.last_ns > self._hold_ns:
                events += self._end_events(self._open.pop(key))
                ongoing = None
            if ongoing is None:
                ongoing = self._open[key] = _Ongoing(time_ns, time_ns, condition)
            ongoing.last_ns = time_ns
            if _is_worse(condition, ongoing.worst):
                ongoing.worst = condition
            events += self._progress_events(time_ns, ongoing)
        for key in [k for k, c in self._open.items() if time_ns - c.last_ns > self._hold_ns]:
            events += self._end_events(self._open.pop(key))
        return events

    def _progress_events(self, time_ns: int, ongoing: _Ongoing) -> list[Event]:
        worst, reported = ongoing.worst, ongoing.reported
        if reported is None:
            if time_ns - ongoing.from_ns < self._delay_ns:
                return []
            ongoing.reported = worst
            return [self._event(ongoing.from_ns, worst, {})]
        if worst.severity is reported.severity and worst.measure < MUCH_WORSE * reported.measure:
            return []
        ongoing.reported = worst
        return [self._event(time_ns, worst, {FROM: ongoing.from_ns / 1e9})]

    def _end_events(self, ongoing: _Ongoing) -> list[Event]:
        if ongoing.reported is None:
            return []
        times: dict[str, Json] = {FROM: ongoing.from_ns / 1e9, TO: ongoing.last_ns / 1e9}
        return [self._event(ongoing.last_ns, ongoing.worst, times)]

    def _event(self, time_ns: int, found: Found, times: Mapping[str, Json]) -> Event:
        arguments = {SEVERITY: found.severity.value, **found.arguments, **times}
        return Event(self._name, time_ns, arguments=arguments)


def _is_worse(a: Found, b: Found) -> bool:
    return (a.severity.rank, a.measure) > (b.severity.rank, b.measure)
