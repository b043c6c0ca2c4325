"""The twin's side: asks the process beside it whenever the robot announces an action."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import LIVE, source_specs
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_suite.futures.foretelling.announced import Announced, announced_of, end_of, plan_of
from hetwin_suite.futures.foretelling.asked import Question
from hetwin_suite.futures.foretelling.foreteller import serve

AFTER_S = 1.0
"""Futures go on so long after all that was announced is over [s]."""
NICE = 5


def predict_beside(conductor: Conductor, scenario: Scenario, options: RunOptions) -> None:
    """Predict in a process of its own what comes of the actions that a live robot announces.

    Nothing is done for runs that follow no robot, whose scenario does not say what is uncertain or wanted, or whose
    models cannot be saved between two steps.

    Args:
        conductor: of the run, before its models are made ready.
        scenario: of the run.
        options: what its start says.
    """
    namespace = _namespace(scenario, options)
    says = scenario.file.uncertainty or scenario.file.outcomes
    waited = all(plan.stepping is Stepping.SERVICE and not plan.beside for plan in scenario.models)
    if namespace is not None and says and waited:
        asking = Asking(conductor, _process(scenario, namespace).send)
        conductor.at_barriers(asking.look)


def _process(scenario: Scenario, namespace: str) -> Connection:
    """Start the process beside the twin, which ends with it; returns where it is asked."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(
        target=serve,
        args=(theirs, scenario.path, scenario.variant, namespace, NICE),
        name="foreteller",
        daemon=True,
    )
    process.start()
    theirs.close()
    return ours


def _namespace(scenario: Scenario, options: RunOptions) -> str | None:
    """Return the namespace of the only robot; None if it is not live."""
    live = [spec[LIVE] for spec in source_specs(scenario, options).values() if LIVE in spec]
    return str(live[0] or "") if len(live) == 1 else None


class Asking:
    """Asks for a prediction whenever something is announced.

    Args:
        conductor: of the run.
        send: takes each question; raises OSError when it takes none any more.
    """

    def __init__(self, conductor: Conductor, send: Callable[[Question], None]) -> None:
        self._conductor, self._send = conductor, send
        self._known: list[Announced] = []
        self._refused = False

    def look(self, now: BetweenSteps) -> None:
        """Ask if something was announced."""
        new = [one for event in now.events if (one := announced_of(event)) is not None]
        if not new:
            return
        self._known = [one for one in self._known if one.end_ns > now.time_ns] + new
        if not self._refused:
            self._ask(new[-1], now)

    def _ask(self, announced: Announced, now: BetweenSteps) -> None:
        time_ns = now.time_ns
        try:
            checkpoint = now.checkpoint()
        except Refused:
            self._refused = True  # it will be refused again
            return
        behind_s = self._conductor.lag_s or 0.0
        effect_s = time.time() + (announced.start_ns - time_ns) / 1e9 - behind_s
        horizon_s = (max(end_of(self._known), announced.start_ns) - time_ns) / 1e9 + AFTER_S
        question = Question(
            checkpoint.with_options(
                source=plan_of(self._known, time_ns),
                scene=checkpoint.given["scene"],
                duration=time_ns / 1e9 + horizon_s + AFTER_S,
            ),
            announced.operation,
            announced.arguments,
            effect_s,
            horizon_s,
        )
        try:
            self._send(question)
        except OSError:
            self._refused = True
