"""Ranges of a measured quantity in which an action succeeds at different rates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hetwin_learning.attempts import Attempt
from hetwin_learning.tree import import_sklearn

MAX_RANGES = 4
MIN_ATTEMPTS = 8
"""Minimum number of attempts in a range."""
MIN_IMPURITY_DECREASE = 0.02
"""Minimum decrease of impurity for a split."""


def ranges_of(attempts: Sequence[Attempt]) -> dict[str, list[dict[str, float]]]:
    """Return measured quantity -> its ranges in ascending order; quantities without influence are left out.

    Args:
        attempts: attempts of one operation.
    """
    ranges = {}
    for name in sorted({name for attempt in attempts for name in attempt.measured}):
        measured = [attempt for attempt in attempts if name in attempt.measured]
        values = np.array([[attempt.measured[name]] for attempt in measured])
        splits = _split_values(values, [attempt.succeeded for attempt in measured])
        if splits:
            ranges[name] = _ranges_between(splits)
    return ranges


def _split_values(values: np.ndarray, succeeded: list[bool]) -> list[float]:
    """Return the values at which a shallow tree splits."""
    if len(set(succeeded)) < 2 or len(succeeded) < 2 * MIN_ATTEMPTS:
        return []
    tree = import_sklearn().tree.DecisionTreeClassifier(
        max_leaf_nodes=MAX_RANGES,
        min_samples_leaf=MIN_ATTEMPTS,
        min_impurity_decrease=MIN_IMPURITY_DECREASE,
        random_state=0,
    )
    tree.fit(values, np.array(succeeded))
    nodes = tree.tree_
    return sorted(
        round(float(cut), 6)
        for cut, column in zip(nodes.threshold, nodes.feature, strict=True)
        if column >= 0
    )


def _ranges_between(splits: list[float]) -> list[dict[str, float]]:
    inner = [{"above": low, "at_most": high} for low, high in pairwise(splits)]
    return [{"at_most": splits[0]}, *inner, {"above": splits[-1]}]
