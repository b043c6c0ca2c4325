"""The benchmark of predictions scores forecasts against what came about."""

from __future__ import annotations

import pytest
from support.plugins import benchmark

QUESTIONS = benchmark("drop_questions", "hetwin_bauer2022").QUESTIONS
predictions = benchmark("predictions", "hetwin_bauer2022")
Scored, row = predictions.Scored, predictions.row


def test_forecasts_are_scored_beside_the_base_rate_and_in_groups() -> None:
    scored = [Scored(1.0, True), Scored(0.0, False), Scored(0.5, True), Scored(0.25, False)]
    found = row(scored, QUESTIONS["move"])
    assert found["brier"] == pytest.approx((0.25 + 0.0625) / 4, abs=1e-4)
    assert found["brier_base"] == 0.25
    assert [group["of"] for group in found["calibration"]] == [1, 1, 0, 1, 0, 1]
    assert (found["unsure"]["mean"], found["unsure"]["share"]) == (0.375, 0.5)
    assert found["all"]["of"] == 4


def test_forecasts_of_certainty_are_in_the_outer_groups() -> None:
    found = row([Scored(1.0, False), Scored(0.9, True)], QUESTIONS["reach"])
    assert [group["of"] for group in found["calibration"]] == [0, 0, 0, 0, 0, 2]
    assert found["unsure"]["of"] == 0
    assert found["unsure"]["mean"] is None
