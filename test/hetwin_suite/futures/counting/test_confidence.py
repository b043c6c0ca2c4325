"""Intervals that hold however often one looks."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_suite.futures.counting.confidence import Share, share


def test_nothing_is_known_of_nothing() -> None:
    assert share(0, 0) == Share(0, 0, 0.0, 1.0)


def test_the_interval_surrounds_the_share_and_shrinks() -> None:
    few, many = share(3, 10), share(300, 1000)
    assert few.low < 0.3 < few.high
    assert few.low < many.low < 0.3 < many.high < few.high
    assert many.width < 0.15


def test_what_always_happens_may_be_certain() -> None:
    assert share(20, 20).high == 1.0
    assert 0.6 < share(20, 20).low < 0.9
    assert share(0, 20).low == 0.0
    assert share(0, 20).high == pytest.approx(1.0 - share(20, 20).low)


@pytest.mark.parametrize("truth", [0.05, 0.5, 0.8])
def test_all_intervals_of_a_batch_hold_the_truth_in_most_batches(truth: float) -> None:
    """A look after each of 200 runs would find Wilson's interval wrong in about 30 % of the batches."""
    random = np.random.default_rng(7)
    batches, runs = 200, 200
    found: dict[tuple[int, int], bool] = {}
    wrong = 0
    for _ in range(batches):
        counts = np.cumsum(random.random(runs) < truth)
        for of, yes in enumerate(counts.tolist(), 1):
            if (yes, of) not in found:
                known = share(yes, of)
                found[yes, of] = known.low <= truth <= known.high
            if not found[yes, of]:
                wrong += 1
                break
    assert wrong <= 0.05 * batches
