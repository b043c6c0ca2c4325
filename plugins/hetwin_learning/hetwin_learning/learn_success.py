"""Learns the success rates of actions from episodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hetwin_futures import SuccessRow
from hetwin_learning.attempts import attempts_in
from hetwin_learning.kin import qualities
from hetwin_learning.replays import replay_episodes
from hetwin_learning.success import MAX_PRIOR_WEIGHT, successes
from hetwin_learning.tree import import_sklearn
from hetwin_suite.episode import LabelledRecording
from hetwin_suite.runs import Scenario
from hetwin_suite.study import Study


def learn_success(
    study: Study,
    episodes: list[LabelledRecording],
    weight: float = MAX_PRIOR_WEIGHT,
    cache: Path | None = None,
) -> list[SuccessRow]:
    """Run each labelled episode once, and learn the success rates of its actions.

    Args:
        study: study of the episodes' scenario, watched by `ActionWatcher`.
        episodes: labelled episodes.
        weight: maximum weight of similar actions, in episodes.
        cache: folder that stores the observations of each episode.

    Raises:
        BadInput: if scikit-learn is not installed, or the scenario or a label cannot be used.
        RunFailed: if an episode cannot be run.
    """
    import_sklearn()
    for episode in episodes:
        episode.label()  # fails before hours of runs
    observations = replay_episodes(study, [episode.folder for episode in episodes], cache)
    return successes_in(study.scenario, episodes, observations, weight)


def successes_in(
    scenario: Scenario,
    episodes: Sequence[LabelledRecording],
    observations: Sequence[Any],
    weight: float = MAX_PRIOR_WEIGHT,
) -> list[SuccessRow]:
    """Return the success rates of actions from the observations of each episode."""
    attempts = [
        attempt
        for episode, actions in zip(episodes, observations, strict=True)
        for attempt in attempts_in(episode, actions)
    ]
    return successes(attempts, qualities(scenario), weight)
