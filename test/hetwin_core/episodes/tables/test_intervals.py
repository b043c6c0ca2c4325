"""Sets of moments: the same as sets of numbers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.episodes.tables.intervals import Intervals, union
from hetwin_core.episodes.tables.rows import Interval

moment = st.integers(0, 20)
parts = st.lists(st.tuples(moment, moment), max_size=6)
spans = st.tuples(moment, moment).map(lambda pair: Interval(min(pair), max(pair)))


def moments(intervals: Intervals) -> set[int]:
    return {n for part in intervals for n in range(part.from_ns, part.to_ns)}


def points(pairs: list[tuple[int, int]]) -> set[int]:
    return {n for begin, end in pairs for n in range(begin, end)}


@given(parts, parts, spans)
def test_they_are_sets_of_moments(
    one: list[tuple[int, int]], other: list[tuple[int, int]], span: Interval
) -> None:
    a, b = Intervals(one), Intervals(other)
    inside = set(range(*span))
    assert moments(a | b) == points(one) | points(other) == moments(union([a, b]))
    assert moments(a & b) == points(one) & points(other)
    assert moments(a - b) == points(one) - points(other)
    assert moments(a.complement(span)) == inside - points(one)
    assert moments(a.within(span)) == points(one) & inside
    assert a.overlaps(span) == bool(points(one) & inside)
    assert a.covers(span) == (inside <= points(one))
    assert all((n in a) == (n in points(one)) for n in range(21))


@given(parts)
def test_parts_neither_overlap_nor_touch(pairs: list[tuple[int, int]]) -> None:
    found = list(Intervals(pairs))
    assert all(one.to_ns < two.from_ns for one, two in pairwise(found))
    assert Intervals(reversed(found)) == Intervals(pairs)


@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_states_last_until_the_next(flags: list[bool]) -> None:
    times = np.arange(len(flags)) * 10
    found = Intervals.where(times, np.array(flags), len(flags) * 10)
    expected = Intervals((i * 10, i * 10 + 10) for i, holds in enumerate(flags) if holds)
    assert found == expected
