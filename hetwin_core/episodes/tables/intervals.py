"""Sets of moments as intervals; truth values (true, false or unknown) over them; and relations of intervals.

The relations are those of Allen, Maintaining knowledge about temporal intervals, CACM 1983: exactly one of the
thirteen holds between any two non-empty intervals.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.episodes.tables.rows import Interval


class Intervals:
    """A set of moments: half-open intervals in order, which neither overlap nor touch.

    Args:
        parts: intervals in any order; overlapping or touching ones are merged, empty ones are dropped.
    """

    __slots__ = ("_begins", "_parts")

    def __init__(self, parts: Iterable[tuple[int, int]] = ()) -> None:
        self._parts = tuple(_merged(parts))
        self._begins = [part.from_ns for part in self._parts]

    @classmethod
    def where(cls, times: NDArray[np.int64], holds: NDArray[np.bool_], end_ns: int) -> Intervals:
        """Make intervals from states.

        Args:
            times: (n,) increasing times [ns]; each state lasts until the next.
            holds: (n,) whether it holds in each of them.
            end_ns: end of the last state.
        """
        edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(np.int8)))
        bounds = np.concatenate([times, [end_ns]])[edges].tolist()
        return cls(zip(bounds[::2], bounds[1::2], strict=True))

    def __iter__(self) -> Iterator[Interval]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Intervals) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        return f"Intervals({[tuple(part) for part in self._parts]})"

    def __contains__(self, time_ns: int) -> bool:
        return self.around(time_ns) is not None

    def __or__(self, other: Intervals) -> Intervals:
        """Return the union."""
        if not self._parts or not other._parts:
            return self if self._parts else other
        return Intervals((*self._parts, *other._parts))

    def __and__(self, other: Intervals) -> Intervals:
        """Return the intersection."""
        found: list[tuple[int, int]] = []
        i = j = 0
        while i < len(self._parts) and j < len(other._parts):
            one, two = self._parts[i], other._parts[j]
            begin, end = max(one.from_ns, two.from_ns), min(one.to_ns, two.to_ns)
            if begin < end:
                found.append((begin, end))
            if one.to_ns < two.to_ns:
                i += 1
            else:
                j += 1
        return Intervals(found)

    def __sub__(self, other: Intervals) -> Intervals:
        """Return the difference."""
        if not self._parts or not other._parts:
            return self
        span = Interval(self._parts[0].from_ns, self._parts[-1].to_ns)
        return self & other.complement(span)

    def complement(self, span: Interval) -> Intervals:
        """Return the part of an interval that is not in the set."""
        edges = [span.from_ns]
        for part in self.within(span):
            edges += part
        edges.append(span.to_ns)
        return Intervals(zip(edges[::2], edges[1::2], strict=True))

    def around(self, time_ns: int) -> Interval | None:
        """Return the interval that contains a moment; None if there is none."""
        index = bisect_right(self._begins, time_ns) - 1
        if index < 0 or self._parts[index].to_ns <= time_ns:
            return None
        return self._parts[index]

    def within(self, span: Interval) -> Intervals:
        """Return the part in an interval, cut at its ends."""
        return Intervals(
            (max(part.from_ns, span.from_ns), min(part.to_ns, span.to_ns))
            for part in self._near(span)
        )

    def overlaps(self, span: Interval) -> bool:
        """Return whether the set contains a moment of an interval."""
        return next(self._near(span), None) is not None

    def covers(self, span: Interval) -> bool:
        """Return whether the set contains every moment of an interval; true for an empty interval."""
        found = self.around(span.from_ns)
        return span.to_ns <= span.from_ns or (found is not None and span.to_ns <= found.to_ns)

    def _near(self, span: Interval) -> Iterator[Interval]:
        index = max(0, bisect_right(self._begins, span.from_ns) - 1)
        for part in self._parts[index:]:
            if part.from_ns >= span.to_ns or span.to_ns <= span.from_ns:
                return
            if part.to_ns > span.from_ns:
                yield part


def union(sets: Iterable[Intervals]) -> Intervals:
    """Return the union of any number of sets."""
    return Intervals(part for each in sets for part in each)


def _merged(parts: Iterable[tuple[int, int]]) -> Iterator[Interval]:
    begin = end = None
    for low, high in sorted(part for part in parts if part[0] < part[1]):
        if begin is None or end is None:
            begin, end = low, high
        elif low <= end:
            end = max(end, high)
        else:
            yield Interval(begin, end)
            begin, end = low, high
    if begin is not None and end is not None:
        yield Interval(begin, end)


NEVER = Intervals()
"""The empty set."""


class Truths(NamedTuple):
    """When something is true and when it is false, in Kleene's three-valued logic.

    Attributes:
        true: when it is true.
        false: when it is false.
    """

    true: Intervals
    false: Intervals

    @classmethod
    def known(cls, true: Intervals, span: Interval) -> Truths:
        """Return a truth that is false in an interval except when it is true."""
        return cls(true, true.complement(span))

    def __sub__(self, unseen: Intervals) -> Truths:
        """Return the same truth, but unknown when it is false and unobserved."""
        return Truths(self.true, self.false - unseen)

    def __and__(self, other: Truths) -> Truths:
        return Truths(self.true & other.true, self.false | other.false)

    def __or__(self, other: Truths) -> Truths:
        return Truths(self.true | other.true, self.false & other.false)

    def __invert__(self) -> Truths:
        return Truths(self.false, self.true)

    def at(self, time_ns: int) -> bool | None:
        """Return whether it is true at a moment; None if unknown."""
        if time_ns in self.true:
            return True
        return False if time_ns in self.false else None

    def during(self, span: Interval) -> bool | None:
        """Return whether it is true at some time in an interval; None if unknown."""
        if self.true.overlaps(span):
            return True
        return False if self.false.covers(span) else None

    def throughout(self, span: Interval) -> bool | None:
        """Return whether it is true for all of an interval; None if unknown."""
        if self.false.overlaps(span):
            return False
        return True if self.true.covers(span) else None


UNKNOWN = Truths(NEVER, NEVER)
"""A truth that is unknown at all times."""


Relation = Callable[[Interval, Interval], bool]


def _touch(x: Interval, y: Interval) -> bool:
    """Return whether y starts where x ends, and neither is an instant at an end of the other."""
    return x.to_ns == y.from_ns and x.from_ns != y.from_ns and x.to_ns != y.to_ns


def _inverse(relation: Relation) -> Relation:
    return lambda x, y: relation(y, x)


_BASIC: Mapping[tuple[str, str], Relation] = {
    ("before", "after"): lambda x, y: x.to_ns < y.from_ns,
    ("meets", "met_by"): _touch,
    ("overlaps", "overlapped_by"): lambda x, y: x.from_ns < y.from_ns < x.to_ns < y.to_ns,
    ("starts", "started_by"): lambda x, y: x.from_ns == y.from_ns and x.to_ns < y.to_ns,
    ("during", "contains"): lambda x, y: y.from_ns < x.from_ns and x.to_ns < y.to_ns,
    ("finishes", "finished_by"): lambda x, y: y.from_ns < x.from_ns and x.to_ns == y.to_ns,
}
"""(Relation of x to y, relation of y to x) -> test of the first."""

RELATIONS: Mapping[str, Relation] = MappingProxyType(
    {
        **{
            name: relation
            for (one, other), basic in _BASIC.items()
            for name, relation in ((one, basic), (other, _inverse(basic)))
        },
        "equals": lambda x, y: x == y,
    }
)
"""All relations by name."""
