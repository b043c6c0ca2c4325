"""By how much counts differ from others of the same states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 4000


def error_of(
    one: Sequence[float],
    base: Sequence[float],
    kinds: Sequence[str],
    seed: int,
    resamples: int = RESAMPLES,
) -> tuple[float, float, float]:
    """Return the relative difference of the sums of `one` and `base`, and its 95 % interval.

    Counts of the same state are paired: the interval is a bootstrap over states of the ratio of the sums,
    stratified by kind. All are not a number where `base` counts nothing.

    Args:
        one: counts.
        base: counts of the same states.
        kinds: of the states.
        seed: of the bootstrap.
        resamples: of the bootstrap.
    """
    pairs = np.array([one, base], np.float64)
    if not pairs[1].sum() > 0:
        return float("nan"), float("nan"), float("nan")
    random = np.random.default_rng(seed)
    sums = np.zeros((2, resamples))
    for kind in sorted(set(kinds)):
        chosen = np.flatnonzero(np.array(kinds) == kind)
        drawn = random.choice(chosen, (resamples, len(chosen)))
        sums += pairs[:, drawn].sum(axis=2)
    shares = sums[0] / np.maximum(sums[1], 1.0) - 1.0
    low, high = np.percentile(shares, [2.5, 97.5])
    return float(pairs[0].sum() / pairs[1].sum() - 1.0), float(low), float(high)
