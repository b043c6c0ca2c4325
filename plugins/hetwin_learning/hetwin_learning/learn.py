"""Learns the thresholds of a trigger or a model from labelled episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hetwin_learning.changed import extending
from hetwin_learning.held_out import HeldOut, held_out
from hetwin_learning.of_model import ModelThresholds
from hetwin_learning.of_trigger import TriggerThresholds
from hetwin_learning.replaying import replayed
from hetwin_learning.thresholds import Moments, Threshold
from hetwin_learning.tree import learn_bounds, library
from hetwin_suite.episode import LABEL, LabelledRecording, both_labels
from hetwin_suite.study import Study

Of: TypeAlias = ModelThresholds | TriggerThresholds


@dataclass(frozen=True, slots=True)
class LearnedThresholds:
    """Learned thresholds.

    Attributes:
        of: the model or trigger.
        thresholds: the present thresholds.
        values: the learned values.
        held_out: accuracy on held-out episodes.
    """

    of: Of
    thresholds: list[Threshold]
    values: list[float]
    held_out: HeldOut

    @property
    def expressions(self) -> list[str]:
        """The learned conditions, in CEL."""
        return self.of.expressions(self.values)

    def yaml(self, beside: Path | None = None) -> str:
        """Return a scenario that extends the present one by the learned values.

        Args:
            beside: folder of the new file; None: the new scenario names the other one by its absolute path.
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
    study: Study,
    of: Of,
    episodes: list[LabelledRecording],
    label: str = LABEL,
    keep: Path | None = None,
) -> LearnedThresholds:
    """Run each labelled episode once, without effects of the model or trigger, and learn its thresholds.

    Args:
        study: makes the runs, watched by `of`.
        of: the model or trigger.
        episodes: episodes with both labels.
        label: key of the label in their truth.
        keep: folder that caches the observations of each episode.

    Raises:
        BadInput: if scikit-learn is missing, there is no threshold to learn, or all labels are equal.
        RunFailed: if an episode cannot be run.
    """
    library()
    of.thresholds()  # fails before hours of runs
    labels = both_labels(episodes, label)
    folders = [episode.folder for episode in episodes]
    return learned_from(of, replayed(study, folders, keep), labels)


def learned_from(of: Of, seen: Sequence[Any], labels: Sequence[bool]) -> LearnedThresholds:
    """Learn thresholds from the observations and the labels of episodes, which must include both labels.

    If the learned values are no better on held-out episodes, the present ones are kept.
    """
    thresholds = of.thresholds()
    moments, present = as_moments(seen, len(thresholds)), signed(thresholds)
    held = held_out(moments, labels, present)
    # An improvement that does not show on held-out episodes is chance.
    is_better = held.accuracy > held.accuracy_before
    found = learn_bounds(moments, labels, present).values if is_better else present
    values = [one.signed(float(value)) for one, value in zip(thresholds, found, strict=True)]
    return LearnedThresholds(
        of, thresholds, values, held if is_better else held._replace(accuracy=held.accuracy_before)
    )


def signed(thresholds: Sequence[Threshold]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return thresholds as signed bounds."""
    return np.array([one.signed(one.value) for one in thresholds], float)


def as_moments(seen: Sequence[Any], columns: int) -> list[Moments]:
    """Return the observations of each episode as arrays."""
    return [np.array(rows, float).reshape(-1, columns) for rows in seen]
