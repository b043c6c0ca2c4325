"""The process beside the twin: predicts what it is asked, and publishes the answers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_core.ensemble.supervision.parting import end_with_parent
from hetwin_suite.futures.foretelling.asked import Question
from hetwin_suite.futures.predicting.forecast import Forecast
from hetwin_suite.futures.predicting.future import Future
from hetwin_suite.futures.predicting.moment import Moment
from hetwin_suite.futures.predicting.root import Fork, Now, at_moment

ROUNDS = (4, 4, 8, 16)
"""So many futures at a time; an answer follows each."""
SEED = 0
_AHEAD_S = 0.05
"""An answer is worth something only so long before the effect."""


def answers(
    question: Question, scenario: Scenario, publish: Callable[[dict[str, Any]], None]
) -> None:
    """Predict in rounds until the action begins; each round is published with all futures so far.

    Args:
        question: what is asked.
        scenario: of the checkpoint.
        publish: takes each answer, as JSON.

    Raises:
        HetwinError: if the checkpoint cannot go on.
    """

    def plan(now: Now, fork: Fork) -> None:
        begun = time.monotonic()
        until = begun + question.effect_s - time.time() - _AHEAD_S
        over: list[Future] = []
        for asked in _totals():
            draws = [now.uncertainty.draw(SEED, index) for index in range(len(over), asked)]
            over += fork(draws, until)
            finished = sorted(over, key=lambda one: one.index)
            if len(over) < asked and not over:
                return
            is_last = len(over) < asked or time.monotonic() >= until or asked == sum(ROUNDS)
            publish(
                {
                    **_forecast(question, scenario, now, asked, finished, begun).to_json(),
                    "operation": question.operation,
                    "arguments": dict(question.arguments),
                    "final": is_last,
                    "before_effect_s": round(question.effect_s - time.time(), 4),
                }
            )
            if is_last:
                return

    checkpoint = question.checkpoint
    at_moment(
        scenario,
        checkpoint.options,
        Moment(checkpoint.time_ns / 1e9),
        plan,
        horizon_s=question.horizon_s,
        checkpoint=checkpoint,
    )


def _totals() -> Iterator[int]:
    total = 0
    for more in ROUNDS:
        total += more
        yield total


def _forecast(
    question: Question,
    scenario: Scenario,
    now: Now,
    asked: int,
    futures: list[Future],
    begun: float,
) -> Forecast:
    outcomes = tuple(scenario.file.outcomes)
    at_s, wall_s = now.time_ns / 1e9, time.monotonic() - begun
    return Forecast(at_s, question.horizon_s, SEED, asked, futures, outcomes, wall_s)


def serve(pipe: Connection, scenario: Path, variant: str | None, namespace: str, nice: int) -> None:
    """Answer questions until the twin ends; those that come too late have no answer.

    Args:
        pipe: from which they come.
        scenario: file of the scenario.
        variant: of it.
        namespace: of the topic of the answers.
        nice: how much less urgent than the twin this process and the futures are.
    """
    end_with_parent()
    os.nice(nice)
    from hetwin_suite.futures.foretelling.publishing import Answers

    loaded = load_scenario(scenario, variant)
    with Answers(namespace) as publisher:
        while (question := _next(pipe)) is not None:
            if question.effect_s - time.time() < _AHEAD_S:
                continue
            try:
                answers(question, loaded, publisher.publish)
            except HetwinError as error:
                publisher.warn(f"{question.operation} cannot be predicted: {error}")


def _next(pipe: Connection) -> Question | None:
    """Wait for a question; returns None at the end."""
    try:
        question: Question | None = pipe.recv()
    except EOFError:
        return None
    return question
