"""Intervals of products of probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_futures.intervals import CERTAIN, Chance, product
from hetwin_suite._study.intervals import probability

shares = st.integers(1, 50).flatmap(
    lambda of: st.integers(0, of).map(lambda yes: Chance(*probability(yes, of)[:3]))
)


@given(st.lists(shares, max_size=4))
def test_a_product_is_within_its_interval_and_no_larger_than_a_factor(
    factors: list[Chance],
) -> None:
    found = product(factors)
    assert 0.0 <= found.low <= found.p <= found.high <= 1.0
    assert all(found.p <= one.p for one in factors)


@given(shares)
def test_what_is_sure_changes_nothing(share: Chance) -> None:
    assert product([share, CERTAIN]) == pytest.approx(product([share]))
    assert product([share]) == pytest.approx(share)


def test_the_interval_holds_the_product_in_95_of_100_cases() -> None:
    random = np.random.default_rng(3)
    truth, of, within = (0.9, 0.7), (60, 40), 0
    for _ in range(400):
        pairs = zip(truth, of, strict=True)
        drawn = [probability(int(random.binomial(n, p)), n)[:3] for p, n in pairs]
        found = product([Chance(*one) for one in drawn])
        within += found.low <= truth[0] * truth[1] <= found.high
    assert 0.92 <= within / 400 <= 0.98
