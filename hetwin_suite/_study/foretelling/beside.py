"""The twin's side: asks the process beside it whenever the robot announces actions."""

from __future__ import annotations

import time
from collections.abc import Callable

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import LIVE, source_specs
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_suite._study.foretelling.announced import Announced, announced_of, end_of, plan_of
from hetwin_suite._study.foretelling.asked import Awaited, Question
from hetwin_suite._study.foretelling.process import foreteller

AFTER_S = 0.5
"""Futures go on so long after all that was announced is over [s]."""


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
        asking = Asking(conductor, foreteller(scenario, options, namespace))
        conductor.at_barriers(asking.look)


def _namespace(scenario: Scenario, options: RunOptions) -> str | None:
    """Return the namespace of the only robot; None if it is not live."""
    live = [spec[LIVE] for spec in source_specs(scenario, options).values() if LIVE in spec]
    return str(live[0] or "") if len(live) == 1 else None


class Asking:
    """Asks for a prediction whenever something is announced.

    Args:
        conductor: of the run.
        send: takes each question, at once.
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
            self._ask(now)

    def _ask(self, now: BetweenSteps) -> None:
        time_ns = now.time_ns
        ahead = [one for one in self._known if one.start_ns > time_ns]
        if not ahead:
            return
        try:
            checkpoint = now.checkpoint()
        except Refused:
            self._refused = True  # it will be refused again
            return
        now_s = time.time() - (self._conductor.lag_s or 0.0)
        awaited = (
            Awaited(one.operation, one.arguments, now_s + (one.start_ns - time_ns) / 1e9)
            for one in ahead
        )
        starts = [one.start_ns for one in ahead]
        begin_ns, last_ns = min(starts), max(end_of(self._known), *starts)
        end_ns = last_ns + round(AFTER_S * 1e9)
        horizon_s = (end_ns - begin_ns) / 1e9
        source = plan_of(self._known, time_ns, end_ns)
        saved = checkpoint.with_options(source=None)
        self._send(Question(saved, source, tuple(awaited), begin_ns / 1e9, horizon_s))
