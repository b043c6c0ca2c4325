"""Learns the thresholds of a trigger or a model from labelled episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hetwin_learning.derived_scenario import extending_yaml
from hetwin_learning.held_out import HeldOut, held_out
from hetwin_learning.model_thresholds import ModelThresholds
from hetwin_learning.replays import replay_episodes
from hetwin_learning.thresholds import Moments, Threshold
from hetwin_learning.tree import import_sklearn, learn_bounds
from hetwin_learning.trigger_thresholds import TriggerThresholds
from hetwin_suite.episode import LABEL, LabelledRecording, both_labels
from hetwin_suite.study import Study

Target: TypeAlias = ModelThresholds | TriggerThresholds


@dataclass(frozen=True, slots=True)
class LearnedThresholds:
    """Learned thresholds.

    Attributes:
        target: the model or trigger.
        thresholds: the current thresholds.
        values: the learned values.
        held_out: accuracy on held-out episodes.
    """

    target: Target
    thresholds: list[Threshold]
    values: list[float]
    held_out: HeldOut

    @property
    def expressions(self) -> list[str]:
        """The learned conditions, in CEL."""
        return self.target.expressions(self.values)

    def yaml(self, folder: Path | None = None) -> str:
        """Return a scenario that extends the current one by the learned values.

        Args:
            folder: folder of the new file; None: the new scenario names the other one by its absolute path.
        """
        return extending_yaml(self.target.path, self.target.scenario_keys(self.values), folder)

    def to_json(self, folder: Path | None = None) -> dict[str, Any]:
        """Return the JSON representation."""
        return {
            "yaml": self.yaml(folder),
            "expressions": self.expressions,
            "held_out": self.held_out.to_json(),
        }


def learn(
    study: Study,
    target: Target,
    episodes: list[LabelledRecording],
    label: str = LABEL,
    cache: Path | None = None,
) -> LearnedThresholds:
    """Run each labelled episode once, without effects of the model or trigger, and learn its thresholds.

    Args:
        study: makes the runs, watched by `target`.
        target: the model or trigger.
        episodes: episodes with both labels.
        label: key of the label in their truth.
        cache: folder that caches the observations of each episode.

    Raises:
        BadInput: if scikit-learn is missing, there is no threshold to learn, or all labels are equal.
        RunFailed: if an episode cannot be run.
    """
    import_sklearn()
    target.thresholds()  # fails before hours of runs
    labels = both_labels(episodes, label)
    folders = [episode.folder for episode in episodes]
    return learned_from(target, replay_episodes(study, folders, cache), labels)


def learned_from(
    target: Target, observations: Sequence[Any], labels: Sequence[bool]
) -> LearnedThresholds:
    """Learn thresholds from the observations and the labels of episodes, which must include both labels.

    If the learned values are no better on held-out episodes, the current ones are kept.
    """
    thresholds = target.thresholds()
    moments, present = to_moments(observations, len(thresholds)), signed_bounds(thresholds)
    accuracy = held_out(moments, labels, present)
    # An improvement that does not show on held-out episodes is chance.
    is_better = accuracy.accuracy > accuracy.accuracy_before
    bounds = learn_bounds(moments, labels, present).values if is_better else present
    values = [
        threshold.signed(float(value)) for threshold, value in zip(thresholds, bounds, strict=True)
    ]
    return LearnedThresholds(
        target,
        thresholds,
        values,
        accuracy if is_better else accuracy._replace(accuracy=accuracy.accuracy_before),
    )


def signed_bounds(thresholds: Sequence[Threshold]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return thresholds as signed bounds."""
    return np.array([threshold.signed(threshold.value) for threshold in thresholds], float)


def to_moments(observations: Sequence[Any], columns: int) -> list[Moments]:
    """Return the observations of each episode as arrays."""
    return [np.array(rows, float).reshape(-1, columns) for rows in observations]
