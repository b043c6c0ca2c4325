"""Allen's thirteen relations between two intervals.

After Allen, Maintaining knowledge about temporal intervals, CACM 1983. Exactly one of them holds between any two
intervals that are not empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from hetwin_core.episodes.tables.rows import Interval

Relation = Callable[[Interval, Interval], bool]


def before(x: Interval, y: Interval) -> bool:
    """Return whether x ends before y begins."""
    return x.to_ns < y.from_ns


def meets(x: Interval, y: Interval) -> bool:
    """Return whether y begins where x ends."""
    return x.to_ns == y.from_ns and not _equal_begin_or_end(x, y)


def overlaps(x: Interval, y: Interval) -> bool:
    """Return whether x begins first, and ends in y."""
    return x.from_ns < y.from_ns < x.to_ns < y.to_ns


def starts(x: Interval, y: Interval) -> bool:
    """Return whether both begin together, and x ends first."""
    return x.from_ns == y.from_ns and x.to_ns < y.to_ns


def during(x: Interval, y: Interval) -> bool:
    """Return whether x begins after y, and ends before it."""
    return y.from_ns < x.from_ns and x.to_ns < y.to_ns


def finishes(x: Interval, y: Interval) -> bool:
    """Return whether both end together, and x begins last."""
    return y.from_ns < x.from_ns and x.to_ns == y.to_ns


def equals(x: Interval, y: Interval) -> bool:
    """Return whether both begin and end together."""
    return x == y


def after(x: Interval, y: Interval) -> bool:
    """Return whether x begins after y has ended."""
    return before(y, x)


def met_by(x: Interval, y: Interval) -> bool:
    """Return whether x begins where y ends."""
    return meets(y, x)


def overlapped_by(x: Interval, y: Interval) -> bool:
    """Return whether y begins first, and ends in x."""
    return overlaps(y, x)


def started_by(x: Interval, y: Interval) -> bool:
    """Return whether both begin together, and y ends first."""
    return starts(y, x)


def contains(x: Interval, y: Interval) -> bool:
    """Return whether y begins after x, and ends before it."""
    return during(y, x)


def finished_by(x: Interval, y: Interval) -> bool:
    """Return whether both end together, and y begins last."""
    return finishes(y, x)


RELATIONS: Mapping[str, Relation] = MappingProxyType(
    {
        relation.__name__: relation
        for relation in (
            *(before, after, meets, met_by, overlaps, overlapped_by, starts, started_by),
            *(during, contains, finishes, finished_by, equals),
        )
    }
)
"""All of them, by name."""


def _equal_begin_or_end(x: Interval, y: Interval) -> bool:
    """Return whether an event, an interval without duration, starts or finishes the other."""
    return x.from_ns == y.from_ns or x.to_ns == y.to_ns
