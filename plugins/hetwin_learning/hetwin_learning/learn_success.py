"""Learns the success rates of actions from episodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hetwin_futures import SuccessRow
from hetwin_learning.attempts import attempts_in
from hetwin_learning.kin import qualities
from hetwin_learning.replaying import replayed
from hetwin_learning.success import WEIGHT, successes
from hetwin_learning.tree import library
from hetwin_suite.episode import LabelledRecording
from hetwin_suite.runs import Scenario
from hetwin_suite.study import Study


def learn_success(
    study: Study,
    episodes: list[LabelledRecording],
    weight: float = WEIGHT,
    keep: Path | None = None,
) -> list[SuccessRow]:
    """Run each labelled episode once, and learn the success rates of its actions.

    Args:
        study: study of the episodes' scenario, watched by `OfActions`.
        episodes: labelled episodes.
        weight: maximum number of episodes that kin count for.
        keep: folder that stores the observations of each episode.

    Raises:
        BadInput: if scikit-learn is not installed, or the scenario or a label cannot be used.
        RunFailed: if an episode cannot be run.
    """
    library()
    for episode in episodes:
        episode.label()  # fails before hours of runs
    seen = replayed(study, [episode.folder for episode in episodes], keep)
    return successes_in(study.scenario, episodes, seen, weight)


def successes_in(
    scenario: Scenario,
    episodes: Sequence[LabelledRecording],
    seen: Sequence[Any],
    weight: float = WEIGHT,
) -> list[SuccessRow]:
    """Return the success rates of actions from the observations of each episode."""
    tried = [
        one
        for episode, actions in zip(episodes, seen, strict=True)
        for one in attempts_in(episode, actions)
    ]
    return successes(tried, qualities(scenario), weight)
