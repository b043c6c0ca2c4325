"""Accuracy of learned thresholds on held-out episodes, by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hetwin_learning.thresholds import Moments
from hetwin_learning.tree import accuracy_of, learn_bounds
from hetwin_suite.model import Floats

FOLDS = 5


class HeldOut(NamedTuple):
    """Accuracy on held-out episodes.

    Attributes:
        of: number of episodes.
        accuracy: fraction classified correctly by bounds that were learned from the other episodes.
        accuracy_before: fraction classified correctly by the current bounds.
    """

    of: int
    accuracy: float
    accuracy_before: float

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return {name: round(value, 6) for name, value in self._asdict().items()}


def held_out(episodes: Sequence[Moments], labels: Sequence[bool], current: Floats) -> HeldOut:
    """Cross-validate in five stratified folds: hold each out in turn, and learn from the others."""
    correct = 0.0
    for fold in _folds(labels):
        training = [index for index in range(len(labels)) if index not in fold]
        if len({labels[index] for index in training}) < 2:
            bounds = current
        else:
            bounds = learn_bounds(
                [episodes[n] for n in training], [labels[n] for n in training], current
            ).values
        held = [episodes[n] for n in fold], [labels[n] for n in fold]
        correct += len(fold) * accuracy_of(*held, bounds)
    before = accuracy_of(episodes, labels, current)
    return HeldOut(len(labels), correct / len(labels), before)


def _folds(labels: Sequence[bool]) -> list[list[int]]:
    folds: list[list[int]] = [[] for _ in range(min(FOLDS, len(labels)))]
    order = np.argsort(np.array(labels), kind="stable")
    for position, episode in enumerate(order):
        folds[position % len(folds)].append(int(episode))
    return folds
