"""What answers rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hetwin_core.ensemble.events import Json
from hetwin_core.episodes.tables.rows import (
    Belief,
    BeliefError,
    Happening,
    Interval,
    Occasion,
    Task,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A row that an answer rests on.

    Attributes:
        table: ``occasions``, ``events``, ``tasks``, ``beliefs``, ``belief_errors`` or ``poses``.
        row: its number in the table; of poses, that of the state.
        span: when it held; of an event and of a pose the time that it was measured at, twice.
        more: what else the row says, such as a distance [m].
    """

    table: str
    row: int
    span: Interval
    more: Mapping[str, Json] = field(default_factory=dict, compare=False)


def of_occasion(row: Occasion) -> Evidence:
    """Return a row of the occasions."""
    return Evidence("occasions", row.row, row.span)


def of_event(row: Happening) -> Evidence:
    """Return a row of the events."""
    return Evidence("events", row.row, Interval(row.time_ns, row.time_ns))


def of_task(row: Task) -> Evidence:
    """Return a row of the tasks."""
    return Evidence("tasks", row.row, row.span)


def of_belief(row: Belief) -> Evidence:
    """Return a row of the beliefs."""
    return Evidence("beliefs", row.row, row.span)


def of_error(row: BeliefError) -> Evidence:
    """Return a row of the beliefs that were wrong; a believed pose with how far it was off, and when it was formed."""
    off: dict[str, Json] = {"distance": round(row.distance, 6), "angle": round(row.angle, 6)}
    formed: dict[str, Json] = {"believed": row.believed_ns / 1e9, "moved": row.moved_ns / 1e9}
    return Evidence("belief_errors", row.row, row.span, {**off, **formed})


def of_state(row: int, time_ns: int, **more: Json) -> Evidence:
    """Return a state of the log."""
    return Evidence("poses", row, Interval(time_ns, time_ns), more)


def in_order(rows: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Return each row once, in the order of time."""
    return tuple(sorted(dict.fromkeys(rows), key=lambda e: (e.span.from_ns, e.table, e.row)))
