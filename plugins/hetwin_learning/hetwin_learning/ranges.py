"""Ranges of what was measured of an action in which it succeeds differently often."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hetwin_learning.tree import library
from hetwin_learning.tried import Tried

LEAVES = 4
LEAST = 8
"""Fewest actions in a range."""
GAIN = 0.02
"""Least part of all impurity by which a range is to be purer."""


def ranges_of(tried: Sequence[Tried]) -> dict[str, list[dict[str, float]]]:
    """Return for each measured number of an action its ranges, in order; without those that say nothing.

    Args:
        tried: tried of one operation.
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
    """Return where a shallow tree divides the values."""
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
