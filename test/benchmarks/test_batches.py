"""The benchmark of batches."""

from __future__ import annotations

import numpy as np
from support.plugins import benchmark

stopped_batch = benchmark("batches", "hetwin_futures").stopped_batch


def test_a_rule_ends_a_batch_of_coins_whose_interval_holds_the_truth() -> None:
    found = [stopped_batch(0.05, np.random.default_rng(seed)) for seed in range(20)]
    assert sum(holds for holds, _ in found) >= 19
    assert all(10 < of < 200 for _, of in found)
