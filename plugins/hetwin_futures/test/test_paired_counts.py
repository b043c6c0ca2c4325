"""The interval of a relative difference of paired counts."""

from __future__ import annotations

import numpy as np

from hetwin_futures.intervals import relative_difference


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    random, hits, truth = np.random.default_rng(3), 0, 0.1
    for seed in range(100):
        kinds = ["pick", "sweep"] * 20
        means = np.where(np.array(kinds) == "pick", 4.0, 15.0) * random.uniform(0.5, 1.5, 40)
        base, one = random.poisson(means), random.poisson(means * (1 + truth))
        _, low, high = relative_difference(one.tolist(), base.tolist(), kinds, seed, 400)
        hits += low <= truth <= high
    assert 0.86 <= hits / 100 <= 0.99
