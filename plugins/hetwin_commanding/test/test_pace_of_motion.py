"""A plan goes on without a break from piece to piece, and every piece ends in a stop on the planned way."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_commanding.link.pieces import GO_S, PIECE_S, STOP_S, Pace

FIRST = st.floats(0.0, 1.0)
ELAPSED = st.floats(0.0, 1.0)


@examples(100)
@given(first=FIRST, elapsed=ELAPSED)
def test_progress_is_the_integral_of_the_pace_and_that_of_its_change(
    first: float, elapsed: float
) -> None:
    pace, step = Pace(2.0, first), 1e-5
    here, there = pace.at(elapsed), pace.at(elapsed + step)
    np.testing.assert_allclose(there.time - here.time, here.pace * step, atol=1e-8)
    assert 0.0 <= here.pace <= 1.0 + 1e-12
    assert abs(there.pace - here.pace) <= 6.0 * step


@examples(50)
@given(first=FIRST)
def test_every_piece_ends_at_rest(first: float) -> None:
    assert Pace(0.0, first).at(PIECE_S).pace == 0.0
    assert Pace(0.0, first).at(10.0) == Pace(0.0, first).at(PIECE_S)


@examples(50)
@given(first=FIRST, elapsed=ELAPSED)
def test_the_next_piece_and_a_stop_begin_where_this_one_is(first: float, elapsed: float) -> None:
    here = Pace(1.0, first).at(elapsed)
    for after in (Pace(1.0, first).next(elapsed), Pace(1.0, first).stopping(elapsed)):
        assert after.at(0.0)[:2] == (here.time, here.pace)
    stop = Pace(1.0, first).stopping(elapsed)
    assert stop.end == STOP_S < 0.1
    assert stop.at(STOP_S).pace == 0.0


def test_pieces_in_time_do_not_slow_down() -> None:
    pace = Pace(0.0)
    for _ in range(20):
        pace = pace.next(0.1)
    np.testing.assert_allclose(pace.at(GO_S).time, 2.0 + GO_S)
    assert pace.first == 1.0
