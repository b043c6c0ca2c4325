"""When a live robot was silent: what overlaps is one silence, and only what is still to come counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from model_nodes.main_physics.sources.live.report import Silences

INTERVALS = st.lists(st.tuples(st.integers(0, 200), st.integers(1, 50)), max_size=12)


def test_joints_and_base_that_are_silent_together_are_silent_once() -> None:
    silences = Silences()
    assert silences.add(100, 200)
    assert not silences.add(90, 210)
    assert silences.add(300, 350)
    assert silences.total_after(0) == 120 + 50


def test_a_silence_that_is_partly_over_counts_with_its_rest() -> None:
    silences = Silences()
    silences.add(100, 200)
    assert silences.total_after(150) == 50
    assert silences.total_after(200) == 0


def test_what_is_cleared_counts_no_more() -> None:
    silences = Silences()
    silences.add(100, 200)
    silences.clear()
    assert silences.total_after(0) == 0


@given(INTERVALS, st.integers(0, 300))
def test_the_total_is_that_of_all_moments_in_which_nothing_came(
    drawn: list[tuple[int, int]], at: int
) -> None:
    silences, covered, latest = Silences(), set[int](), 0
    for end, length in sorted(drawn):
        begin = max(end - length, latest)
        if begin < end:
            silences.add(begin, end)
            covered |= set(range(begin, end))
            latest = begin
    assert silences.total_after(at) == sum(moment >= at for moment in covered)
