"""Where the robot's beliefs part in two runs."""

from __future__ import annotations

import pytest
from support.compared import side
from support.made_tables import MadeTables, ns

from hetwin_compare.comparison import Side
from hetwin_compare.motion import first_belief
from hetwin_core.episodes.tables.rows import Interval

ALL = Interval(0, ns(10.0) + 1)


def seen(*xs: float, period: float = 1.0) -> Side:
    """A run in which the box is believed to be at these x [m], one after the other."""
    made = MadeTables()
    rows = [
        (i * period, (i + 1) * period, (x, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0)) for i, x in enumerate(xs)
    ]
    made.believed("loc", "box", "", *rows)
    return side(made)


def told(*rows: tuple[float, float, bool]) -> Side:
    made = MadeTables()
    made.believed("held", "box", "right_hand", *rows)
    return side(made)


def test_believed_places_part_when_they_are_further_off_than_percepts_are() -> None:
    assert first_belief(seen(0.0, 0.0, 0.0), seen(0.0, 0.015, 0.0), ALL) is None
    found = first_belief(seen(0.0, 0.0, 0.0), seen(0.0, 0.0, 0.03), ALL)
    assert found is not None
    assert (found.time_ns, found.entities) == (ns(2.0), ("box",))
    assert isinstance(found.there, dict)
    assert found.there["pose"] == pytest.approx([0.03, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0])


def test_a_first_difference_is_taken_off() -> None:
    assert first_belief(seen(0.0, 0.1, 0.2), seen(0.5, 0.6, 0.7), ALL) is None


def test_messages_at_other_times_say_the_same_of_a_box_that_moves() -> None:
    often = seen(*(0.05 * min(i, 16) for i in range(20)), period=0.5)
    assert first_belief(seen(*(0.1 * min(i, 8) for i in range(10))), often, ALL) is None


def test_what_is_believed_in_one_run_alone() -> None:
    found = first_belief(told((0.0, 3.0, False), (3.0, 10.0, True)), told((0.0, 10.0, False)), ALL)
    assert found is not None
    assert (found.time_ns, found.entities) == (ns(3.0), ("box", "right_hand"))
    found = first_belief(told((4.0, 10.0, True)), seen(), ALL)
    assert found is not None
    assert (found.time_ns, found.there) == (ns(4.0), None)
    assert first_belief(told((4.0, 10.0, True)), told((4.05, 10.0, True)), ALL) is None
