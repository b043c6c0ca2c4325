"""What a live robot has told before a run begins, and which still holds then."""

from __future__ import annotations

from collections.abc import Iterable

from hetwin_core.ensemble.beliefs import problem_of
from hetwin_core.ensemble.events import Event, EventKind


def since_begin(events: Iterable[Event], begin_ns: int) -> list[Event]:
    """Return the events since the beginning, after the last ones before of each task and each belief.

    Args:
        events: in the order of their arrival; their times are the robot's [ns].
        begin_ns: of the run, by the same clock.
    """
    still: dict[object, Event] = {}
    after: list[Event] = []
    for event in events:
        if event.time_ns >= begin_ns:
            after.append(event)
        elif (key := _key(event)) is not None:
            still[key] = event
    return [*sorted(still.values(), key=lambda event: event.time_ns), *after]


def _key(event: Event) -> object:
    """What a later event of the same key replaces; None if it is over when it has happened."""
    found = event.arguments
    if event.kind is EventKind.TASK:
        return event.kind, found["id"]
    if event.kind is EventKind.BELIEF and not problem_of(event):
        return event.source, found["fluent"], str(found["arguments"])
    return None
