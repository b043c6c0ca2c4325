"""Predicts the outcome of a run from one of its moments."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

from hetwin_futures.forecast import Forecast
from hetwin_futures.successes import NO_EXPERIENCE, Experience
from hetwin_suite.model import BadInput
from hetwin_suite.study import (
    AS_BELIEVED,
    Draw,
    Moment,
    RunAtMoment,
    RunResult,
    Study,
    Uncertainty,
    at_moment,
)

_NOTHING = Uncertainty("")
_NO_TIME = "the time is out of range"


def predict(
    study: Study,
    moment: Moment,
    futures: int,
    *,
    within_s: float | None = None,
    drawn: bool = True,
    physics_only: bool = False,
    experience: Experience = NO_EXPERIENCE,
) -> Forecast:
    """Run many futures from one moment, and summarize them in a forecast.

    Args:
        study: the runs; the scenario's `uncertainty` is drawn, and its `outcomes` define success.
        moment: start of the futures.
        futures: number of futures.
        within_s: wall time in s after which unfinished futures are dropped; None: no limit.
        drawn: whether uncertain values are drawn; otherwise all futures are alike.
        physics_only: whether the futures run by physics alone, which excludes scenarios with other models.
        experience: success rates of actions for causes that the futures do not model.

    Raises:
        BadInput: if the scenario or the question cannot be used.
        HetwinError: if the run fails before the moment.
    """
    check_asked(study, moment, futures, within_s)
    if physics_only and study.workers is not None:
        raise BadInput(
            "physics alone goes on where the run is",
            where="--physics-only",
            found="--cluster",
            expected="one of them",
        )
    ask = _Task(study, futures, within_s, drawn, experience)
    return at_moment(study, moment, ask.forecast, physics_only=physics_only)


class _Task(NamedTuple):
    """The arguments of `predict` that are used at the moment."""

    study: Study
    futures: int
    within_s: float | None
    drawn: bool
    experience: Experience

    def forecast(self, now: RunAtMoment) -> Forecast:
        """Run the futures; if none succeeds, add one in which nothing is drawn."""
        study, start = self.study, time.monotonic()
        until = None if self.within_s is None else start + self.within_s
        found = sorted(now.runs(self._draws(now), until), key=lambda future: future.index)
        finished = [future for future in found if future.error is None]
        none_succeeds = bool(finished) and not any(future.succeeded for future in finished)
        over = until is not None and time.monotonic() >= until
        beside = now.runs([AS_BELIEVED]) if self.drawn and none_succeeds and not over else ()
        believed = next(iter([*beside]), None)
        return Forecast(
            now.time_ns / 1e9,
            self._horizon_s(now, finished),
            *(study.seed, self.futures, found, tuple(study.scenario.file.outcomes)),
            *(time.monotonic() - start, self.experience, believed),
            over_s=None if now.over_ns is None else now.over_ns / 1e9,
        )

    def _draws(self, now: RunAtMoment) -> Iterable[Draw]:
        uncertainty = now.uncertainty if self.drawn else _NOTHING
        return (uncertainty.draw(self.study.seed, index) for index in range(self.futures))

    def _horizon_s(self, now: RunAtMoment, finished: Iterable[RunResult]) -> float:
        if self.study.horizon_s is not None:
            return self.study.horizon_s
        return max((future.end_ns - now.time_ns for future in finished), default=0) / 1e9


def check_asked(study: Study, moment: Moment, futures: int, within_s: float | None) -> None:
    """Check the options of a question about the future.

    Raises:
        BadInput: if one is out of range; the error names the option.
    """
    if (moment.at_s is None) == (not moment.before):
        raise BadInput(
            "a prediction needs one moment",
            where="--at, --before",
            found="neither" if moment.at_s is None else "both",
            expected="--at T, or --before ACTION",
        )
    if moment.at_s is not None and not moment.at_s >= 0.0:
        raise BadInput(_NO_TIME, where="--at", found=moment.at_s, expected="at least 0")
    for option, value in {"--duration": study.horizon_s, "--within": within_s}.items():
        if value is not None and not value > 0.0:
            raise BadInput(_NO_TIME, where=option, found=value, expected="above 0")
    if futures < 1:
        raise BadInput(
            "nothing can be said without futures",
            where="-n",
            found=futures,
            expected="at least 1",
        )
