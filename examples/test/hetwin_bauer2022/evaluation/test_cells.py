"""Verdicts become the cells of the table."""

from __future__ import annotations

import math
from typing import Any

import pytest

from hetwin_bauer2022.evaluation.judge import Verdict
from hetwin_bauer2022.evaluation.table2 import cells, hand_backs
from hetwin_suite._study.intervals import probability


def verdict(approach: str, said: bool | None, truth: bool, **more: Any) -> Verdict:
    given = {"margin": 0.01, "why": "", "real_time_factor": 1.0, "wall_time": 1.0, **more}
    return Verdict("drop_0001", "uncertain_environment", approach, said, truth, "", **given)


def test_right_and_wrong_are_counted_by_truth_and_approach() -> None:
    verdicts = [
        verdict("ensemble", True, True),
        verdict("ensemble", False, True),
        verdict("ensemble", False, False),
        verdict("rigid", True, False),
    ]
    found = {(c.truth, c.approach): (c.right, c.of) for c in cells(verdicts)}
    assert found == {
        ("success", "ensemble"): (1, 2),
        ("success", "rigid"): (0, 0),
        ("failure", "ensemble"): (1, 1),
        ("failure", "rigid"): (0, 1),
    }


def test_a_failed_run_is_never_right() -> None:
    assert not verdict("single", None, False).right
    assert [c.right for c in cells([verdict("single", None, False)])] == [0, 0]


def test_what_the_paper_calls_not_applicable_is_left_out() -> None:
    verdicts = [
        verdict("single", False, False),
        verdict("single", False, False, not_applicable=True),
    ]
    failure = next(c for c in cells(verdicts) if c.truth == "failure")
    assert (failure.right, failure.of) == (1, 1)


def test_the_papers_figures_stand_beside_ours() -> None:
    table = cells([verdict("ensemble", True, True), verdict("single", True, True)])
    paper = {(c.approach, c.truth): c.paper for c in table}
    assert paper["ensemble", "success"] == (4, 5)
    assert paper["ensemble", "failure"] == (5, 5)
    assert paper["single", "failure"] is None


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 5, 0.0, 0.4345), (4, 5, 0.3755, 0.9638), (50, 50, 0.9287, 1.0)],
)
def test_intervals_are_wilsons(right: int, of: int, low: float, high: float) -> None:
    assert probability(right, of)[1:3] == pytest.approx((low, high), abs=1e-4)


def test_hand_backs_are_added_up() -> None:
    verdicts = [
        verdict("ensemble", True, True, hand_backs=1, unequal=0, gain=-0.2),
        verdict("ensemble", True, True, hand_backs=2, unequal=1, gain=0.5),
        verdict("ensemble", False, False, gain=math.nan),
        verdict("rule", True, True),
    ]
    (row,) = hand_backs(verdicts)
    assert (row.approach, row.of, row.unequal, row.greatest_gain) == ("ensemble", 3, 1, 0.5)
    assert "3 poses handed back to physics, 2 equal to the bit" in str(row)
