"""Allen's relations: exactly one of them holds between any two intervals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.episodes.tables.intervals import RELATIONS
from hetwin_core.episodes.tables.rows import Interval

interval = st.tuples(st.integers(0, 6), st.integers(1, 6)).map(
    lambda p: Interval(p[0], p[0] + p[1])
)
instant = st.integers(0, 12).map(lambda n: Interval(n, n))
INVERSE = {
    "before": "after",
    "meets": "met_by",
    "overlaps": "overlapped_by",
    "starts": "started_by",
    "during": "contains",
    "finishes": "finished_by",
    "equals": "equals",
}


def holding(x: Interval, y: Interval) -> list[str]:
    return [name for name, relation in RELATIONS.items() if relation(x, y)]


@given(interval, interval)
def test_exactly_one_holds(x: Interval, y: Interval) -> None:
    (name,) = holding(x, y)
    inverse = INVERSE | {b: a for a, b in INVERSE.items()}
    assert holding(y, x) == [inverse[name]]


@given(instant, interval | instant)
def test_exactly_one_holds_of_an_event(x: Interval, y: Interval) -> None:
    assert len(holding(x, y)) == len(holding(y, x)) == 1


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("before", (0, 2)),
        ("meets", (0, 4)),
        ("overlaps", (2, 6)),
        ("starts", (4, 6)),
        ("during", (5, 6)),
        ("finishes", (6, 8)),
        ("equals", (4, 8)),
        ("after", (9, 10)),
    ],
)
def test_they_mean_what_allen_says(name: str, x: tuple[int, int]) -> None:
    assert holding(Interval(*x), Interval(4, 8)) == [name]
