"""Learns from episodes how probable it is that actions succeed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hetwin_futures import SuccessRow
from hetwin_learning.kin import qualities
from hetwin_learning.replaying import replayed
from hetwin_learning.success import WEIGHT, successes
from hetwin_learning.tree import library
from hetwin_learning.tried import tried_in
from hetwin_suite.episode import Labelled
from hetwin_suite.runs import Scenario
from hetwin_suite.study import Study


def learn_success(
    study: Study, episodes: list[Labelled], weight: float = WEIGHT, keep: Path | None = None
) -> list[SuccessRow]:
    """Learn from labelled episodes, each of which is run once, how probable it is that actions succeed.

    Args:
        study: study of their scenario; `OfActions` watches it.
        episodes: labelled.
        weight: as how many episodes kin count at most.
        keep: folder that keeps what was seen of each episode.

    Raises:
        BadInput: if scikit-learn is not installed, or the scenario or a label cannot be used.
        RunFailed: if an episode cannot be run.
    """
    library()
    for episode in episodes:
        episode.label()  # before hours of runs
    seen = replayed(study, [episode.folder for episode in episodes], keep)
    return successes_in(study.scenario, episodes, seen, weight)


def successes_in(
    scenario: Scenario, episodes: Sequence[Labelled], seen: Sequence[Any], weight: float = WEIGHT
) -> list[SuccessRow]:
    """Return how probable it is that actions succeed, from what was seen of each episode."""
    tried = [
        one
        for episode, actions in zip(episodes, seen, strict=True)
        for one in tried_in(episode, actions)
    ]
    return successes(tried, qualities(scenario), weight)
