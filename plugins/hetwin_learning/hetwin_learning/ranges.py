"""Ranges of a measured quantity in which an action succeeds at different rates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hetwin_learning.attempts import Attempt
from hetwin_learning.tree import library

LEAVES = 4
LEAST = 8
"""Minimum number of attempts in a range."""
GAIN = 0.02
"""Minimum decrease of impurity for a split."""


def ranges_of(tried: Sequence[Attempt]) -> dict[str, list[dict[str, float]]]:
    """Return measured quantity -> its ranges in ascending order; quantities without influence are left out.

    Args:
        tried: attempts of one operation.
    """
    found = {}
    for name in sorted({name for one in tried for name in one.measured}):
        having = [one for one in tried if name in one.measured]
        values = np.array([[one.measured[name]] for one in having])
        cuts = _cuts(values, [one.succeeded for one in having])
        if cuts:
            found[name] = _between(cuts)
    return found


def _cuts(values: np.ndarray, succeeded: list[bool]) -> list[float]:
    """Return the values at which a shallow tree splits."""
    if len(set(succeeded)) < 2 or len(succeeded) < 2 * LEAST:
        return []
    tree = library().tree.DecisionTreeClassifier(
        max_leaf_nodes=LEAVES, min_samples_leaf=LEAST, min_impurity_decrease=GAIN, random_state=0
    )
    tree.fit(values, np.array(succeeded))
    inside = tree.tree_
    return sorted(
        round(float(cut), 6)
        for cut, column in zip(inside.threshold, inside.feature, strict=True)
        if column >= 0
    )


def _between(cuts: list[float]) -> list[dict[str, float]]:
    inner = [{"above": low, "at_most": high} for low, high in pairwise(cuts)]
    return [{"at_most": cuts[0]}, *inner, {"above": cuts[-1]}]
