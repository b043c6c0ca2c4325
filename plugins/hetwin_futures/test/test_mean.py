"""The interval of a mean."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_futures.intervals import mean_of, student_quantile
from hetwin_suite._study.intervals import probability


@pytest.mark.parametrize(
    ("freedom", "table"),
    [(1, 12.7062), (2, 4.30265), (3, 3.18245), (5, 2.57058), (9, 2.26216), (30, 2.04227)],
)
def test_students_quantile_is_that_of_tables(freedom: int, table: float) -> None:
    assert student_quantile(freedom) == pytest.approx(table, rel=2e-3)


def test_shares_have_the_interval_of_shares() -> None:
    assert mean_of([1.0, 1.0, 0.0, 1.0]) == probability(3, 4)


def test_one_value_says_nothing_of_the_others() -> None:
    assert mean_of([2.5]) == (2.5, None, None, 1)
    assert mean_of([]) == (None, None, None, 0)


def test_the_interval_holds_the_truth_in_nineteen_of_twenty_cases() -> None:
    random = np.random.default_rng(4)
    found = [mean_of(random.normal(3.0, 2.0, 6).tolist()) for _ in range(2000)]
    inside = sum(one.low <= 3.0 <= one.high for one in found)  # type: ignore[operator]
    assert 0.935 < inside / 2000 < 0.965
