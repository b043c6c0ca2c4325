"""Each reader gets what it has not got yet, as far as that is kept."""

from __future__ import annotations

from hetwin_suite.view.live.feed import Happening, HappeningKind
from hetwin_suite.view.live.watched_run import Happenings


def happening(number: int) -> Happening:
    """One that can be told from others."""
    return Happening(number, HappeningKind.EVENT, f"number {number}", "")


def test_readers_come_when_they_can() -> None:
    all_of_them = Happenings()
    assert all_of_them.since(0) == (0, ())
    for number in range(3):
        all_of_them.add(happening(number))
    count, first = all_of_them.since(0)
    assert (count, [h.time_ns for h in first]) == (3, [0, 1, 2])
    all_of_them.add(happening(3))
    count, rest = all_of_them.since(count)
    assert (count, [h.time_ns for h in rest]) == (4, [3])
    assert all_of_them.since(count) == (4, ())


def test_the_oldest_are_forgotten() -> None:
    few = Happenings(most=2)
    for number in range(5):
        few.add(happening(number))
    assert [h.time_ns for h in few.since(0)[1]] == [3, 4]
    assert [h.time_ns for h in few.since(4)[1]] == [4]
