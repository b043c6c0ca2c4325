"""Learns the thresholds of a trigger or of a model from labelled episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hetwin_learning.changed import extending
from hetwin_learning.held_out import HeldOut, held_out
from hetwin_learning.of_model import OfModel
from hetwin_learning.of_trigger import OfTrigger
from hetwin_learning.replaying import replayed
from hetwin_learning.thresholds import Moments, Threshold
from hetwin_learning.tree import learn_bounds, library
from hetwin_suite.episode import LABEL, Labelled, both_labels
from hetwin_suite.study import Study

Of: TypeAlias = OfModel | OfTrigger


@dataclass(frozen=True, slots=True)
class Learned:
    """What episodes say of thresholds.

    Attributes:
        of: whose they are.
        thresholds: as they were.
        values: as they are learned.
        held_out: how right they are on other episodes.
    """

    of: Of
    thresholds: list[Threshold]
    values: list[float]
    held_out: HeldOut

    @property
    def expressions(self) -> list[str]:
        """What is to hold, in CEL."""
        return self.of.expressions(self.values)

    def yaml(self, beside: Path | None = None) -> str:
        """Return a scenario that extends the one that was learned for.

        Args:
            beside: the folder that it is to be kept in; None: it names the other one by its whole path.
        """
        return extending(self.of.path, self.of.written(self.values), beside)

    def to_json(self, beside: Path | None = None) -> dict[str, Any]:
        """Return the JSON representation."""
        return {
            "yaml": self.yaml(beside),
            "expressions": self.expressions,
            "held_out": self.held_out.to_json(),
        }


def learn(
    study: Study, of: Of, episodes: list[Labelled], label: str = LABEL, keep: Path | None = None
) -> Learned:
    """Learn thresholds from labelled episodes, each of which is run once without what is learned acting on it.

    Args:
        study: which runs them, watched by `of`.
        of: whose thresholds.
        episodes: with both labels.
        label: key of their truth.
        keep: folder that keeps what was seen of each episode.

    Raises:
        BadInput: if scikit-learn is not installed, there is nothing to be learned, or all have the same label.
        RunFailed: if an episode cannot be run.
    """
    library()
    of.thresholds()  # before hours of runs
    labels = both_labels(episodes, label)
    folders = [episode.folder for episode in episodes]
    return learned_from(of, replayed(study, folders, keep), labels)


def learned_from(of: Of, seen: Sequence[Any], labels: Sequence[bool]) -> Learned:
    """Learn thresholds from what was seen of each episode, and from the labels of both kinds.

    Where those that are learned are no better on held-out episodes, they stay as they are.
    """
    thresholds = of.thresholds()
    moments, present = as_moments(seen, len(thresholds)), signed(thresholds)
    held = held_out(moments, labels, present)
    # What is no better on episodes that it was not learned from is chance.
    is_better = held.accuracy > held.accuracy_before
    found = learn_bounds(moments, labels, present).values if is_better else present
    values = [one.signed(float(value)) for one, value in zip(thresholds, found, strict=True)]
    return Learned(
        of, thresholds, values, held if is_better else held._replace(accuracy=held.accuracy_before)
    )


def signed(thresholds: Sequence[Threshold]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return thresholds as signed bounds."""
    return np.array([one.signed(one.value) for one in thresholds], float)


def as_moments(seen: Sequence[Any], columns: int) -> list[Moments]:
    """Return what was seen of each episode as arrays."""
    return [np.array(rows, float).reshape(-1, columns) for rows in seen]
