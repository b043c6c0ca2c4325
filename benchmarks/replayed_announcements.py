"""Puts to a replay of a recording the question that the twin of a live robot asks when an action is announced."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from hetwin_bauer2022.evaluation.episodes import LabelledEpisode
from hetwin_commanding.announcing import announcements
from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.events import announce
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_futures import foreteller
from hetwin_futures.announced import Question
from hetwin_futures.foreteller import PredictionRequests
from hetwin_suite._study.root import Root
from hetwin_suite._study.study import Study

_LATE_S = 3600.0
"""So long the answers may take [s]."""


def asked_of_a_replay(
    episode: LabelledEpisode, action: str, ahead_s: float, count: int
) -> tuple[Mapping[str, Any], float]:
    """Return what so many futures say of an action of a recording, and when it begins there [s].

    The recording is replayed with announcements; what follows the last of them before the action is the twin's own way
    to ask and to answer.

    Args:
        episode: a recorded episode.
        action: its operation.
        ahead_s: how long before each action is announced [s].
        count: of futures.
    """
    scenario = load_scenario(find_scenario(episode.scenario))
    options = RunOptions(source=str(episode.folder))
    question = _question(scenario, options, episode, action, ahead_s)
    (one,) = (asked for asked in question.awaited if asked.operation == action)
    late = one._replace(effect_s=time.time() + _LATE_S)
    study = Study(scenario, foreteller.without_source(scenario, options))
    published: list[dict[str, Any]] = []
    most, foreteller.MOST = foreteller.MOST, count
    try:
        asked = question._replace(awaited=(late,))
        foreteller.answers(asked, study, Root(study), published.append)
    finally:
        foreteller.MOST = most
    return published[-1], question.begin_s


def _question(
    scenario: Scenario,
    options: RunOptions,
    episode: LabelledEpisode,
    action: str,
    ahead_s: float,
) -> Question:
    """Replay an episode until the action is announced; returns what the twin asks then."""
    waiting = announcements(episode.folder / "recording", ahead_s)
    conductor = session(scenario, options=options)
    asked: list[Question] = []

    def hear(now: BetweenSteps) -> None:
        while waiting and waiting[0].time_ns <= now.time_ns:
            said = waiting.pop(0)
            arguments = json.loads(said.arguments)
            conductor.notify(
                announce(said.operation, "announced", arguments, said.time_ns, said.topic)
            )
        if any(one.operation == action for question in asked for one in question.awaited):
            conductor.stop()

    conductor.at_barriers(hear)
    conductor.at_barriers(PredictionRequests(conductor, asked.append).look)
    conductor.run()
    return asked[-1]
