"""Decides which strategy of a library is best from a moment of a run on."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from hetwin_core.ensemble.annotations import action_arguments
from hetwin_core.ensemble.conductor.checkpoint.checkpoint import SOURCE
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.tables.open import RunTables
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite._study.deciding.decision import Decision, Tried, tried
from hetwin_suite._study.deciding.library import Library
from hetwin_suite._study.deciding.race import Trial, race
from hetwin_suite._study.deciding.strategy import plans_of
from hetwin_suite._study.drawing.draw import Draw
from hetwin_suite._study.experience import NO_EXPERIENCE, Experience
from hetwin_suite._study.predicting.predict import check_asked
from hetwin_suite._study.runs.judging import check_utility
from hetwin_suite._study.runs.origins import Moment, Now
from hetwin_suite._study.runs.root import at_moment
from hetwin_suite._study.runs.run_result import RunResult
from hetwin_suite._study.runs.study import Study

UTILITY = "utility"


def decide(
    study: Study,
    library: Library,
    moment: Moment,
    futures: int,
    *,
    within_s: float | None = None,
    experience: Experience = NO_EXPERIENCE,
) -> Decision:
    """Try the strategies of a library on futures of one moment, all on the same draws.

    Args:
        study: what is run; the scenario's `uncertainty` is drawn. Its utility is that of the library.
        library: of strategies.
        moment: from which on.
        futures: of each strategy at most.
        within_s: wall time after which is decided [s]; None: without haste.
        experience: of what no future knows.

    Raises:
        BadInput: if the scenario, the library or the question cannot be used.
        HetwinError: if the run fails before the moment.
    """
    check_asked(study, moment, futures, within_s)
    utility, outcomes = library.file.utility, study.scenario.file.outcomes
    if utility is None and not outcomes:
        error = BadInput(
            "neither the library nor the scenario says what counts",
            where=UTILITY,
            expected="a question whose answer is a number, or outcomes in the scenario",
        )
        raise library.placed(error)
    if experience.rows and utility is not None:
        error = BadInput(
            "what a future brings that fails for another cause is not known",
            where=UTILITY,
            found="--prior",
            expected="no utility of its own, so that success counts 1",
        )
        raise library.placed(error)
    study.utility = utility
    asked = _Asked(study, library, futures, within_s, experience)
    return at_moment(study, moment, lambda now: _Deciding(asked, now).decision())


class _Asked(NamedTuple):
    """What is asked at the moment; see `decide`."""

    study: Study
    library: Library
    futures: int
    within_s: float | None
    experience: Experience


class _Deciding:
    """At the moment, in the process that forks."""

    def __init__(self, asked: _Asked, now: Now) -> None:
        self._asked, self._now, self._begun = asked, now, time.monotonic()
        self._until = None if asked.within_s is None else self._begun + asked.within_s
        event = None if now.action is None else action_arguments(now.action)
        self._plans = plans_of(asked.library, now.scene, event)
        self._sources = list(self._plans.values())
        self._over: dict[Trial, RunResult] = {}
        self._whole = True

    def decision(self) -> Decision:
        """Race, and return the result."""
        self._check_utility()
        best = race(len(self._plans), self._asked.futures, self._ask)
        file, judged = self._asked.library.file, bool(self._asked.study.scenario.file.outcomes)
        found = [
            tried(
                *(name, plan, list(self._futures_of(number)), file.critical, judged),
                self._asked.experience,
            )
            for number, (name, plan) in enumerate(self._plans.items())
        ]
        chosen = None if best is None or not found[best].futures else found[best]
        order = sorted(found, key=lambda one: (one is not chosen, *_worth(one)))
        wall_s = time.monotonic() - self._begun
        at_s, seed = self._now.time_ns / 1e9, self._asked.study.seed
        return Decision(at_s, seed, chosen, order, wall_s, self._whole)

    def _check_utility(self) -> None:
        question = self._asked.library.file.utility
        if question is None:
            return
        try:
            check_utility(self._asked.study.scenario, self._until_now(), question, UTILITY)
        except BadInput as error:
            raise self._asked.library.placed(error) from None

    def _until_now(self) -> Tables:
        """The tables of the run as if it were over; those of the futures go on."""
        found: RunTables = pickle.loads(pickle.dumps(self._now.tables))
        found.finish()
        return found.tables()

    def _ask(self, trials: Sequence[Trial]) -> tuple[Mapping[Trial, float], bool]:
        futures = [*self._now.runs((self._draw(*trial) for trial in trials), self._until)]
        count = len(self._plans)
        over = {(one.index % count, one.index // count): self._valued(one) for one in futures}
        self._over |= over
        goes_on = len(futures) == len(trials)
        self._whole &= goes_on
        worth = {trial: self._worth(one) for trial, one in over.items()}
        return {trial: value for trial, value in worth.items() if value is not None}, goes_on

    def _valued(self, future: RunResult) -> RunResult:
        """A future that breaks down is no success."""
        counts = self._asked.library.file.utility is None
        return replace(future, value=0.0) if future.error is not None and counts else future

    def _worth(self, future: RunResult) -> float | None:
        """What a future brings, times the chance that nothing fails in it that no future knows."""
        value, experience = future.value, self._asked.experience
        return None if value is None else value * experience.chance([future.actions]).p

    def _draw(self, strategy: int, number: int) -> Draw:
        """What a strategy's future with the draw of this number differs in."""
        main, source = self._asked.study.scenario.main.name, self._sources[strategy]
        draw = self._now.draw(number).with_parameters(main, {SOURCE: source})
        return replace(draw, index=number * len(self._plans) + strategy)

    def _futures_of(self, strategy: int) -> Iterator[RunResult]:
        """The futures of a strategy that are over, by the numbers of their draws."""
        for one, number in sorted(self._over):
            if one == strategy:
                yield self._over[one, number]


def _worth(one: Tried) -> tuple[float, int]:
    mean = one.brought.mean
    return (float("inf") if mean is None else -mean, -one.brought.of)
