"""Wilson's interval."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_suite._study.intervals import probability


@pytest.mark.parametrize(
    ("yes", "of", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_known_intervals(yes: int, of: int, low: float, high: float) -> None:
    found = probability(yes, of)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
    assert found.p == yes / of


def test_of_nothing_nothing_is_known() -> None:
    assert probability(0, 0) == (0.0, 0.0, 1.0, 0)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_the_truth_is_inside_in_about_95_of_100_cases(p: float) -> None:
    drawn = np.random.default_rng(1).binomial(60, p, 2000)
    inside = [(found := probability(int(yes), 60)).low <= p <= found.high for yes in drawn]
    assert 0.92 < np.mean(inside) < 0.98
