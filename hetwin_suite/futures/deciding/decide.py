"""Decides which strategy of a library is best from a moment of a run on."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hetwin_core.ensemble.annotations import action_arguments
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.projection.tables.running import RunTables
from hetwin_core.projection.tables.tables import Tables
from hetwin_suite.futures.deciding.decision import Decision, Tried, tried
from hetwin_suite.futures.deciding.library import Library
from hetwin_suite.futures.deciding.race import Trial, race
from hetwin_suite.futures.deciding.strategy import plans_of
from hetwin_suite.futures.drawing.draw import Draw
from hetwin_suite.futures.judging import check_utility
from hetwin_suite.futures.predicting.future import Future
from hetwin_suite.futures.predicting.predict import Asked, check_asked, new_folder
from hetwin_suite.futures.predicting.root import Fork, Now, at_moment

UTILITY = "utility"


def decide(
    scenario: Scenario,
    options: RunOptions,
    library: Library,
    asked: Asked,
    progress: Callable[[Future], None] = lambda _: None,
    look: Callable[[], None] = lambda: None,
) -> Decision:
    """Try the strategies of a library on futures of one moment, all on the same draws.

    Args:
        scenario: what is run; its `uncertainty` is drawn.
        options: what the start of the run says.
        library: of strategies.
        asked: from which moment on, how many futures of each strategy at most, and for how long.
        progress: is called with each future that is over.
        look: is called several times a second.

    Raises:
        BadInput: if the scenario, the library or the question cannot be used.
        HetwinError: if the run fails before the moment.
    """
    check_asked(asked)
    outcomes = scenario.file.outcomes
    if library.file.utility is None and not outcomes:
        error = BadInput(
            "neither the library nor the scenario says what counts",
            where=UTILITY,
            expected="a question whose answer is a number, or outcomes in the scenario",
        )
        raise library.placed(error)
    if asked.experience.rows and library.file.utility is not None:
        error = BadInput(
            "what a future brings that fails for another cause is not known",
            where=UTILITY,
            found="--prior",
            expected="no utility of its own, so that success counts 1",
        )
        raise library.placed(error)
    return at_moment(
        scenario,
        options,
        asked.moment,
        lambda now, fork: _Deciding(scenario, library, asked, now, fork).decision(),
        horizon_s=asked.horizon_s,
        jobs=asked.jobs,
        out=None if asked.out is None else new_folder(asked.out),
        utility=library.file.utility,
        progress=progress,
        look=look,
    )


class _Deciding:
    """At the moment, in the process that forks."""

    def __init__(
        self, scenario: Scenario, library: Library, asked: Asked, now: Now, fork: Fork
    ) -> None:
        self._scenario, self._library, self._asked = scenario, library, asked
        self._now, self._fork = now, fork
        self._begun = time.monotonic()
        self._until = None if asked.within_s is None else self._begun + asked.within_s
        event = None if now.action is None else action_arguments(now.action)
        self._plans = plans_of(library, now.scene, event)
        self._sources = list(self._plans.values())
        self._over: dict[Trial, Future] = {}
        self._whole = True

    def decision(self) -> Decision:
        """Race, and return the result."""
        self._check_utility()
        best = race(len(self._plans), self._asked.futures, self._ask)
        file, judged = self._library.file, bool(self._scenario.file.outcomes)
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
        now, seed = self._now, self._asked.seed
        return Decision(now.time_ns / 1e9, seed, chosen, order, wall_s, self._whole)

    def _check_utility(self) -> None:
        question = self._library.file.utility
        if question is None:
            return
        try:
            check_utility(self._scenario, self._until_now(), question, UTILITY)
        except BadInput as error:
            raise self._library.placed(error) from None

    def _until_now(self) -> Tables:
        """The tables of the run as if it were over; those of the futures go on."""
        found: RunTables = pickle.loads(pickle.dumps(self._now.tables))
        found.finish()
        return found.tables()

    def _ask(self, trials: Sequence[Trial]) -> tuple[Mapping[Trial, float], bool]:
        futures = self._fork((self._draw(*trial) for trial in trials), self._until)
        count = len(self._plans)
        over = {(one.index % count, one.index // count): self._valued(one) for one in futures}
        self._over |= over
        goes_on = len(futures) == len(trials)
        self._whole &= goes_on
        worth = {trial: self._worth(one) for trial, one in over.items()}
        return {trial: value for trial, value in worth.items() if value is not None}, goes_on

    def _valued(self, future: Future) -> Future:
        """A future that breaks down is no success."""
        counts = self._library.file.utility is None
        return replace(future, value=0.0) if future.error is not None and counts else future

    def _worth(self, future: Future) -> float | None:
        """What a future brings, times the chance that nothing fails in it that no future knows."""
        value, experience = future.value, self._asked.experience
        return None if value is None else value * experience.chance([future.actions]).p

    def _draw(self, strategy: int, number: int) -> Draw:
        """What a strategy's future with the draw of this number differs in."""
        draw = self._now.uncertainty.draw(self._asked.seed, number)
        main = self._scenario.main.name
        changed = {**draw.parameters.get(main, {}), "source": self._sources[strategy]}
        parameters: dict[str, Mapping[str, Any]] = {**draw.parameters, main: changed}
        index = number * len(self._plans) + strategy
        return replace(draw, index=index, parameters=parameters)

    def _futures_of(self, strategy: int) -> Iterator[Future]:
        """The futures of a strategy that are over, by the numbers of their draws."""
        for one, number in sorted(self._over):
            if one == strategy:
                yield self._over[one, number]


def _worth(one: Tried) -> tuple[float, int]:
    mean = one.brought.mean
    return (float("inf") if mean is None else -mean, -one.brought.of)
