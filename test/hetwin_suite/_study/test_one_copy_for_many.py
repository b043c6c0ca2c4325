"""Futures of one copy of a run are those of a copy each, to the bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hetwin_suite._study.draw import AS_BELIEVED, Draw
from hetwin_suite._study.root import at_moment
from hetwin_suite._study.run_result import Moment, RunAtMoment, RunResult
from hetwin_suite._study.study import Study

COUNT = 4


def futures(name: str, at_s: float, jobs: int, *draws: Draw, **asked: Any) -> list[RunResult]:
    """The futures of a moment, by index; at first those that are drawn, then the ones given."""

    def plan(now: RunAtMoment) -> list[RunResult]:
        drawn = [now.draw(index) for index in range(COUNT)]
        return sorted(now.runs([*drawn, *draws]), key=lambda one: one.index)

    return at_moment(Study(name, jobs=jobs, **asked), Moment(at_s), plan)


def told(found: list[RunResult]) -> list[Any]:
    return [(one.index, one.digest, one.state, one.events, one.error) for one in found]


@pytest.mark.parametrize("at_s", [0.4, 2.0, 3.2])
def test_they_end_in_the_same_digests(at_s: float) -> None:
    one_copy = futures("pick_and_place", at_s, 1, horizon_s=0.3)
    a_copy_each = futures("pick_and_place", at_s, COUNT, horizon_s=0.3)
    assert all(one.error is None for one in one_copy)
    assert len({one.digest for one in one_copy}) > 1
    assert told(one_copy) == told(a_copy_each)


@pytest.mark.long
def test_an_unchanged_one_after_others_is_still_the_run_itself() -> None:
    *_, alone = futures("pick_and_place", 3.2, 9, replace(AS_BELIEVED, index=COUNT))
    *_, last = futures("pick_and_place", 3.2, 1, replace(AS_BELIEVED, index=COUNT))
    assert last.digest == alone.digest


def test_a_draw_that_changes_the_source_leaves_the_next_ones_as_they_are() -> None:
    hold = {"plan": [{"operation": "hold", "arguments": {"seconds": 1.0}}]}
    other = Draw(-1, 0, {}, {}, {"physics": {"source": hold}})
    found = futures("pick_and_place", 3.2, 1, other, replace(AS_BELIEVED, index=9), horizon_s=0.2)
    alone = futures("pick_and_place", 3.2, 9, other, replace(AS_BELIEVED, index=9), horizon_s=0.2)
    assert told(found) == told(alone)
