"""Learns bounds with a shallow decision tree.

An episode has many moments and one label: it is positive if all compared quantities are within their bounds at *some*
moment. As in multiple-instance learning (Andrews et al., 2002), one moment represents each episode, the one that is
closest to the present bounds. A tree learns new bounds from these moments, the moments are chosen again by them, and so
on until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hetwin_learning.thresholds import Moments, holds
from hetwin_suite.model import Floats, import_library

EXTRA = "learn"
DEPTH = 3
ROUNDS = 6
NEVER = 1e9
"""Value of a quantity that was never compared in an episode."""


class Bounds(NamedTuple):
    """Signed bounds, and the share of the episodes that they judge right."""

    values: Floats
    right: float


def library() -> Any:
    """Import scikit-learn.

    Raises:
        BadInput: if the extra is not installed.
    """
    return import_library(EXTRA, ("sklearn", "sklearn.tree"), "learning needs scikit-learn")


def judged_right(episodes: Sequence[Moments], labels: Sequence[bool], bounds: Floats) -> float:
    """Return the share of the episodes whose label the bounds reproduce."""
    right = [holds(one, bounds) == label for one, label in zip(episodes, labels, strict=True)]
    return float(np.mean(right))


def learn_bounds(episodes: Sequence[Moments], labels: Sequence[bool], present: Floats) -> Bounds:
    """Return bounds that separate the labels at least as well as the present ones.

    Bounds that the tree does not use keep their present values; so do all bounds if no others are better.

    Args:
        episodes: signed moments of each episode.
        labels: label of each episode.
        present: signed bounds.
    """
    best = Bounds(present, judged_right(episodes, labels, present))
    at = present
    for _ in range(ROUNDS):
        rows = np.array([_witness(one, at) for one in episodes])
        found = [
            Bounds(_plain(box, episodes, labels), judged_right(episodes, labels, box))
            for box in _boxes(rows, labels, present)
        ]
        if not found:
            return best
        top = max(found, key=lambda one: (one.right, int(np.sum(one.values == present))))
        if top.right > best.right:
            best = top
        if np.array_equal(top.values, at):
            return best
        at = top.values
    return best


def _witness(moments: Moments, bounds: Floats) -> Floats:
    """Return the moment that exceeds the bounds least, relative to their size."""
    if not len(moments):
        return np.full(len(bounds), NEVER)
    scale = np.maximum(np.abs(bounds), 1e-9)
    beyond = np.max((moments - bounds) / scale, axis=1)
    return np.asarray(moments[int(np.argmin(beyond))])


def _boxes(rows: Floats, labels: Sequence[bool], present: Floats) -> Iterator[Floats]:
    """Yield the bounds of each positive leaf of a shallow tree; bounds that it does not use keep present values."""
    kind = library().tree.DecisionTreeClassifier
    least = max(1, len(rows) // 20)
    tree = kind(max_depth=DEPTH, min_samples_leaf=least, random_state=0)
    tree.fit(rows, np.array(labels))
    inside = tree.tree_

    def leaves(node: int, box: Floats) -> Iterator[Floats]:
        column = int(inside.feature[node])
        if column < 0:
            if bool(tree.classes_[int(np.argmax(inside.value[node][0]))]):
                yield box
            return
        lower = box.copy()
        lower[column] = inside.threshold[node]
        yield from leaves(int(inside.children_left[node]), lower)
        yield from leaves(int(inside.children_right[node]), box)

    yield from leaves(0, present)


def _plain(bounds: Floats, episodes: Sequence[Moments], labels: Sequence[bool]) -> Floats:
    """Round the bounds to the fewest digits that judge the episodes equally well."""
    right = judged_right(episodes, labels, bounds)
    for digits in (1, 2, 3, 4):
        rounded = np.array([float(f"{value:.{digits}g}") for value in bounds])
        if judged_right(episodes, labels, rounded) == right and _near(rounded, bounds):
            return rounded
    return bounds


def _near(rounded: Floats, bounds: Floats) -> bool:
    return bool(np.all(np.abs(rounded - bounds) <= 0.1 * np.abs(bounds)))
