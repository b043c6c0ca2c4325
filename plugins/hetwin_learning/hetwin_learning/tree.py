"""Learns bounds with a shallow decision tree.

An episode has many moments and one label: it is positive if all compared quantities are within their bounds at *some*
moment. As in multiple-instance learning (Andrews et al., 2002), one moment represents each episode, the one that is
closest to the current bounds. A tree learns new bounds from these moments, the moments are chosen again by them, and so
on until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hetwin_learning.thresholds import Moments, any_within
from hetwin_suite.model import Floats, import_library

EXTRA = "learn"
DEPTH = 3
ROUNDS = 6
NEVER_COMPARED = 1e9
"""Value of a quantity that was never compared in an episode."""


class Bounds(NamedTuple):
    """Signed bounds, and the share of the episodes that they judge right."""

    values: Floats
    accuracy: float


def import_sklearn() -> Any:
    """Import scikit-learn.

    Raises:
        BadInput: if the extra is not installed.
    """
    return import_library(EXTRA, ("sklearn", "sklearn.tree"), "learning needs scikit-learn")


def accuracy_of(episodes: Sequence[Moments], labels: Sequence[bool], bounds: Floats) -> float:
    """Return the share of the episodes whose label the bounds reproduce."""
    correct = [
        any_within(moments, bounds) == label
        for moments, label in zip(episodes, labels, strict=True)
    ]
    return float(np.mean(correct))


def learn_bounds(episodes: Sequence[Moments], labels: Sequence[bool], present: Floats) -> Bounds:
    """Return bounds that separate the labels at least as well as the current ones.

    Bounds that the tree does not use keep their current values; so do all bounds if no others are better.

    Args:
        episodes: signed moments of each episode.
        labels: label of each episode.
        present: signed bounds.
    """
    best = Bounds(present, accuracy_of(episodes, labels, present))
    bounds = present
    for _ in range(ROUNDS):
        rows = np.array([_closest_moment(moments, bounds) for moments in episodes])
        candidates = [
            Bounds(_rounded(box, episodes, labels), accuracy_of(episodes, labels, box))
            for box in _leaf_bounds(rows, labels, present)
        ]
        if not candidates:
            return best
        candidate = max(
            candidates,
            key=lambda moments: (moments.accuracy, int(np.sum(moments.values == present))),
        )
        if candidate.accuracy > best.accuracy:
            best = candidate
        if np.array_equal(candidate.values, bounds):
            return best
        bounds = candidate.values
    return best


def _closest_moment(moments: Moments, bounds: Floats) -> Floats:
    """Return the moment that exceeds the bounds least, relative to their size."""
    if not len(moments):
        return np.full(len(bounds), NEVER_COMPARED)
    scale = np.maximum(np.abs(bounds), 1e-9)
    excess = np.max((moments - bounds) / scale, axis=1)
    return np.asarray(moments[int(np.argmin(excess))])


def _leaf_bounds(rows: Floats, labels: Sequence[bool], present: Floats) -> Iterator[Floats]:
    """Yield the bounds of each positive leaf of a shallow tree; bounds that it does not use keep current values."""
    classifier = import_sklearn().tree.DecisionTreeClassifier
    min_leaf = max(1, len(rows) // 20)
    tree = classifier(max_depth=DEPTH, min_samples_leaf=min_leaf, random_state=0)
    tree.fit(rows, np.array(labels))
    nodes = tree.tree_

    def leaves(node: int, box: Floats) -> Iterator[Floats]:
        column = int(nodes.feature[node])
        if column < 0:
            if bool(tree.classes_[int(np.argmax(nodes.value[node][0]))]):
                yield box
            return
        lower = box.copy()
        lower[column] = nodes.threshold[node]
        yield from leaves(int(nodes.children_left[node]), lower)
        yield from leaves(int(nodes.children_right[node]), box)

    yield from leaves(0, present)


def _rounded(bounds: Floats, episodes: Sequence[Moments], labels: Sequence[bool]) -> Floats:
    """Round the bounds to the fewest digits that judge the episodes equally well."""
    accuracy = accuracy_of(episodes, labels, bounds)
    for digits in (1, 2, 3, 4):
        rounded = np.array([float(f"{value:.{digits}g}") for value in bounds])
        if accuracy_of(episodes, labels, rounded) == accuracy and _is_close(rounded, bounds):
            return rounded
    return bounds


def _is_close(rounded: Floats, bounds: Floats) -> bool:
    return bool(np.all(np.abs(rounded - bounds) <= 0.1 * np.abs(bounds)))
