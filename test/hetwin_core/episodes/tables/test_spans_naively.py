"""Spans with a hysteresis, against a reading state by state."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.episodes.tables.deriving.book import Change, Spans

_STATES = st.lists(st.sampled_from(["no", "weakly", "clearly"]), min_size=1, max_size=60)


@given(
    st.lists(_STATES, min_size=1, max_size=3),
    st.lists(st.integers(0, 60)),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_spans_are_those_of_a_reading_state_by_state(
    things: list[list[str]], cuts: list[int], absent: int, clear: int
) -> None:
    count = max(map(len, things))
    spans = Spans(absent=absent, clear=clear)
    found: list[Change] = []
    for begin, end in pairwise(sorted({0, count, *(c for c in cuts if c < count)})):
        found += spans.update(*_rows(things, begin, end), end - 1)
    assert sorted(found) == sorted(
        change
        for key, states in enumerate(things)
        for change in _naive(key, states, count, absent, clear)
    )


def _rows(
    things: list[list[str]], begin: int, end: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = [
        (key, state, states[state] == "clearly")
        for key, states in enumerate(things)
        for state in range(begin, min(end, len(states)))
        if states[state] != "no"
    ]
    keys, numbers, clearly = zip(*rows, strict=True) if rows else ((), (), ())
    return np.array(keys, np.int64), np.array(numbers, np.int64), np.array(clearly, np.bool_)


def _naive(key: int, states: list[str], count: int, absent: int, clear: int) -> list[Change]:
    changes, since, run, run_from, without = [], None, 0, 0, absent
    for number, state in enumerate([*states, *["no"] * (count - len(states))]):
        if state == "no":
            without += 1
            if without == absent:
                if since is not None:
                    changes.append(Change(number - absent + 1, key, False))
                since, run = None, 0
            continue
        without = 0
        run_from = number if run == 0 else run_from
        run = run + 1 if state == "clearly" else 0
        if since is None and run >= clear:
            since = 0 if run_from <= absent else run_from
            changes.append(Change(since, key, True))
    return changes
