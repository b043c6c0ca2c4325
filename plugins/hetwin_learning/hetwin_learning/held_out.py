"""Accuracy of learned thresholds on held-out episodes, by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hetwin_learning.thresholds import Moments
from hetwin_learning.tree import judged_right, learn_bounds
from hetwin_suite.model import Floats

FOLDS = 5


class HeldOut(NamedTuple):
    """Accuracy on held-out episodes.

    Attributes:
        of: number of episodes.
        accuracy: share judged right by bounds that were learned from the other episodes.
        accuracy_before: share judged right by the present bounds.
    """

    of: int
    accuracy: float
    accuracy_before: float

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return {name: round(value, 6) for name, value in self._asdict().items()}


def held_out(episodes: Sequence[Moments], labels: Sequence[bool], present: Floats) -> HeldOut:
    """Cross-validate in five stratified folds: hold out one in turn, and learn from the others."""
    right = 0.0
    for fold in _folds(labels):
        others = [number for number in range(len(labels)) if number not in fold]
        if len({labels[number] for number in others}) < 2:
            bounds = present
        else:
            bounds = learn_bounds(
                [episodes[n] for n in others], [labels[n] for n in others], present
            ).values
        chosen = [episodes[n] for n in fold], [labels[n] for n in fold]
        right += len(fold) * judged_right(*chosen, bounds)
    before = judged_right(episodes, labels, present)
    return HeldOut(len(labels), right / len(labels), before)


def _folds(labels: Sequence[bool]) -> list[list[int]]:
    folds: list[list[int]] = [[] for _ in range(min(FOLDS, len(labels)))]
    order = np.argsort(np.array(labels), kind="stable")
    for place, number in enumerate(order):
        folds[place % len(folds)].append(int(number))
    return folds
