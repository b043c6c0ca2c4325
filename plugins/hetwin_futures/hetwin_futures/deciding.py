"""Decides which strategy of a library is best at a given moment of a run, by racing them on simulated futures."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from hetwin_futures.intervals import CERTAIN, Chance, Mean, mean_of, product
from hetwin_futures.predicting import check_asked
from hetwin_futures.strategies import Library, Trial, plans_of, race
from hetwin_futures.successes import NO_EXPERIENCE, Experience, Row
from hetwin_suite.model import BadInput, action_arguments
from hetwin_suite.study import Draw, Moment, RunAtMoment, RunResult, Study, at_moment, check_utility

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """A strategy and the results of its futures.

    Attributes:
        name: name in the library.
        plan: source that executes the strategy.
        futures: finished futures.
        broken: futures that broke down, or whose plan could not be executed.
        brought: mean utility with its interval, multiplied by the probability that no action fails for a reason that
            the futures do not model.
        prior: success rates of its actions from experience.
        critical: whether the share of failing futures is too large.
    """

    name: str
    plan: Mapping[str, Any]
    futures: Sequence[RunResult]
    broken: Sequence[RunResult]
    brought: Mean
    critical: bool
    prior: Sequence[Row] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        found: dict[str, Any] = {
            "name": self.name,
            "utility": _rounded(self.brought.mean),
            "low": _rounded(self.brought.low),
            "high": _rounded(self.brought.high),
            "futures": self.brought.of,
            "critical": self.critical,
        }
        if self.prior:
            found["prior"] = [row.to_json() for row in self.prior]
        if self.broken:
            found |= {"failed": len(self.broken), "error": self.broken[0].error}
        return found


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of `decide`.

    Attributes:
        at_s: the moment [s].
        seed: seed of the draws.
        chosen: the best strategy; None if no future finished.
        tried: all strategies, the best first.
        wall_s: wall time from the moment on [s].
        whole: whether all futures finished in time.
    """

    at_s: float
    seed: int
    chosen: StrategyResult | None
    tried: Sequence[StrategyResult]
    wall_s: float
    whole: bool

    @property
    def processor_s(self) -> float:
        """Processor time of all futures [s]."""
        each = (one for tried in self.tried for one in (*tried.futures, *tried.broken))
        return sum(one.processor_s for one in each)

    def lacking(self, experience: Experience) -> list[str]:
        """Operations for which the experience has rows, but none for the arguments used here."""
        futures = (future for tried in self.tried for future in tried.futures)
        return experience.lacks(act for future in futures for act in future.actions)

    @property
    def deterministic(self) -> bool:
        """Whether the same question gives the same decision."""
        return self.whole and all(
            future.reproducible for each in self.tried for future in each.futures
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return {
            "chosen": None if self.chosen is None else self.chosen.name,
            "strategies": [tried.to_json() for tried in self.tried],
            "plan": None if self.chosen is None else self.chosen.plan,
            "at": self.at_s,
            "seed": self.seed,
            "wall_s": round(self.wall_s, 3),
            "processor_s": round(self.processor_s, 3),
            "deterministic": self.deterministic,
        }


def strategy_result(
    name: str,
    plan: Mapping[str, Any],
    futures: Sequence[RunResult],
    critical: float,
    judged: bool,
    experience: Experience,
) -> StrategyResult:
    """Return the result of a strategy from its futures.

    Args:
        name: name of the strategy.
        plan: source that executes the strategy.
        futures: all futures that ended.
        critical: share of failing futures above which the strategy is critical.
        judged: whether the scenario has outcomes, so that a future can fail.
        experience: success rates of actions for reasons that the futures do not model.
    """
    good = [future for future in futures if future.error is None]
    broken = [future for future in futures if future.error is not None]
    failing = len(broken) + (sum(not one.succeeded for one in good) if judged else 0)
    chance = experience.chance([one.actions for one in good])
    is_critical = bool(futures) and 1.0 - (1.0 - failing / len(futures)) * chance.p > critical
    brought = mean_of([future.value for future in futures if future.value is not None])
    rows = {id(row): row for one in good for row in experience.rows_of(one.actions)}
    return StrategyResult(
        name, plan, good, broken, _times(brought, chance), is_critical, list(rows.values())
    )


def _times(utility: Mean, chance: Chance) -> Mean:
    """Return the mean utility, multiplied by the probability that no action fails for an unmodelled reason."""
    mean, low, high, of = utility
    if chance == CERTAIN or mean is None or low is None or high is None:
        return utility
    return Mean(*product([Chance(mean, low, high), chance]), of)


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, _DIGITS)


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
    """Evaluate the strategies of a library on futures of one moment, all on the same draws.

    Args:
        study: makes the runs; the scenario's `uncertainty` is drawn. The study's utility is that of the library.
        library: the library of strategies.
        moment: start of the futures.
        futures: maximum number of futures of each strategy.
        within_s: wall time in s after which the decision is made; None: no limit.
        experience: success rates of actions for reasons that the futures do not model.

    Raises:
        BadInput: if the scenario, the library or the question cannot be used.
        HetwinError: if the run fails before the moment.
    """
    check_asked(study, moment, futures, within_s)
    utility, outcomes = library.file.utility, study.scenario.file.outcomes
    if utility is None and not outcomes:
        error = BadInput(
            "neither the library nor the scenario defines what to maximize",
            where=UTILITY,
            expected="a question whose answer is a number, or outcomes in the scenario",
        )
        raise library.placed(error)
    if experience.rows and utility is not None:
        error = BadInput(
            "the utility of a future that fails for an unmodelled reason is unknown",
            where=UTILITY,
            found="--prior",
            expected="no utility in the library; success then counts as 1",
        )
        raise library.placed(error)
    study.utility = utility
    task = _Task(study, library, futures, within_s, experience)
    return at_moment(study, moment, lambda now: _Deciding(task, now).decision())


class _Task(NamedTuple):
    """The arguments of `decide`."""

    study: Study
    library: Library
    futures: int
    within_s: float | None
    experience: Experience


class _Deciding:
    """The decision at the moment, in the process that forks the futures."""

    def __init__(self, task: _Task, now: RunAtMoment) -> None:
        self._task, self._now, self._begun = task, now, time.monotonic()
        self._until = None if task.within_s is None else self._begun + task.within_s
        event = None if now.action is None else action_arguments(now.action)
        self._plans = plans_of(task.library, now.scene, event)
        self._sources = list(self._plans.values())
        self._finished: dict[Trial, RunResult] = {}
        self._whole = True

    def decision(self) -> Decision:
        """Race the strategies, and return the decision."""
        self._check_utility()
        best = race(len(self._plans), self._task.futures, self._run_trials)
        file, judged = self._task.library.file, bool(self._task.study.scenario.file.outcomes)
        found = [
            strategy_result(
                *(name, plan, list(self._futures_of(number)), file.critical, judged),
                self._task.experience,
            )
            for number, (name, plan) in enumerate(self._plans.items())
        ]
        chosen = None if best is None or not found[best].futures else found[best]
        order = sorted(found, key=lambda one: (one is not chosen, *_sort_key(one)))
        wall_s = time.monotonic() - self._begun
        at_s, seed = self._now.time_ns / 1e9, self._task.study.seed
        return Decision(at_s, seed, chosen, order, wall_s, self._whole)

    def _check_utility(self) -> None:
        question = self._task.library.file.utility
        if question is None:
            return
        try:
            check_utility(self._task.study.scenario, self._now.tables_so_far(), question, UTILITY)
        except BadInput as error:
            raise self._task.library.placed(error) from None

    def _run_trials(self, trials: Sequence[Trial]) -> tuple[Mapping[Trial, float], bool]:
        futures = [*self._now.runs((self._draw(*trial) for trial in trials), self._until)]
        count = len(self._plans)
        finished = {
            (future.index % count, future.index // count): self._valued(future)
            for future in futures
        }
        self._finished |= finished
        goes_on = len(futures) == len(trials)
        self._whole &= goes_on
        worth = {trial: self._worth(one) for trial, one in finished.items()}
        return {trial: value for trial, value in worth.items() if value is not None}, goes_on

    def _valued(self, future: RunResult) -> RunResult:
        """Return the future with the value 0 if it broke down and success is the utility."""
        success_is_utility = self._task.library.file.utility is None
        return (
            replace(future, value=0.0)
            if future.error is not None and success_is_utility
            else future
        )

    def _worth(self, future: RunResult) -> float | None:
        """Return the utility of a future times the probability that no action fails for an unmodelled reason."""
        value, experience = future.value, self._task.experience
        return None if value is None else value * experience.chance([future.actions]).p

    def _draw(self, strategy: int, number: int) -> Draw:
        """Return the draw of this number with the source of a strategy."""
        main, source = self._task.study.scenario.main.name, self._sources[strategy]
        draw = self._now.draw(number).with_source(main, source)
        return replace(draw, index=number * len(self._plans) + strategy)

    def _futures_of(self, strategy: int) -> Iterator[RunResult]:
        """Iterate over the finished futures of a strategy in the order of their draws."""
        for one, number in sorted(self._finished):
            if one == strategy:
                yield self._finished[one, number]


def _sort_key(one: StrategyResult) -> tuple[float, int]:
    mean = one.brought.mean
    return (float("inf") if mean is None else -mean, -one.brought.of)
