"""Predicts what comes after a moment of a run."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.futures.drawing.draw import AS_BELIEVED, Draw
from hetwin_suite.futures.drawing.uncertain import Uncertainty
from hetwin_suite.futures.learning.experience import NO_EXPERIENCE, Experience
from hetwin_suite.futures.origins import Moment, Now
from hetwin_suite.futures.predicting.forecast import Forecast
from hetwin_suite.futures.run_result import RunResult
from hetwin_suite.futures.study import Study

_NOTHING = Uncertainty("")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about the future.

    Attributes:
        moment: from which on.
        futures: how many.
        within_s: wall time after which no future is waited for [s]; None: all are.
        drawn: whether what is uncertain is drawn; else all futures are alike.
        physics_only: whether they go on by physics alone, which no other model may take part in.
        experience: of what no future knows.
    """

    moment: Moment
    futures: int
    within_s: float | None = None
    drawn: bool = True
    physics_only: bool = False
    experience: Experience = NO_EXPERIENCE


def predict(study: Study, asked: Asked) -> Forecast:
    """Let many futures of one moment go on, and return what they say.

    Args:
        study: what is run; the scenario's `uncertainty` is drawn, and its `outcomes` are what counts as success.
        asked: what is asked.

    Raises:
        BadInput: if the scenario or the question cannot be used.
        HetwinError: if the run fails before the moment.
    """
    check_asked(study, asked)
    if asked.physics_only and study.workers is not None:
        raise BadInput(
            "physics alone goes on where the run is",
            where="--physics-only",
            found="--cluster",
            expected="one of them",
        )
    ask = _Asking(study, asked)
    return study.at(asked.moment, ask.forecast, physics_only=asked.physics_only)


@dataclass(frozen=True, slots=True)
class _Asking:
    """At the moment."""

    study: Study
    asked: Asked

    def forecast(self, now: Now) -> Forecast:
        """Let futures go on, and one in which nothing is drawn if none of them succeeds."""
        study, asked, begun = self.study, self.asked, time.monotonic()
        until = None if asked.within_s is None else begun + asked.within_s
        futures = sorted(now.runs(self._draws(now), until), key=lambda one: one.index)
        finished = [one for one in futures if one.error is None]
        none_succeeds = bool(finished) and not any(one.succeeded for one in finished)
        over = until is not None and time.monotonic() >= until
        beside = now.runs([AS_BELIEVED]) if asked.drawn and none_succeeds and not over else ()
        believed = next(iter([*beside]), None)
        return Forecast(
            now.time_ns / 1e9,
            self._horizon_s(now, finished),
            *(study.seed, asked.futures, futures, tuple(study.scenario.file.outcomes)),
            *(time.monotonic() - begun, asked.experience, believed),
            over_s=None if now.over_ns is None else now.over_ns / 1e9,
        )

    def _draws(self, now: Now) -> Iterable[Draw]:
        uncertainty = now.uncertainty if self.asked.drawn else _NOTHING
        return (uncertainty.draw(self.study.seed, index) for index in range(self.asked.futures))

    def _horizon_s(self, now: Now, finished: Iterable[RunResult]) -> float:
        if self.study.horizon_s is not None:
            return self.study.horizon_s
        return max((one.end_ns - now.time_ns for one in finished), default=0) / 1e9


def check_asked(study: Study, asked: Asked) -> None:
    """See that a question about the future can be answered.

    Raises:
        BadInput: if it cannot; the option is named.
    """
    moment = asked.moment
    if (moment.at_s is None) == (not moment.before):
        raise BadInput(
            "a prediction needs one moment",
            where="--at, --before",
            found="neither" if moment.at_s is None else "both",
            expected="--at T, or --before ACTION",
        )
    numbers = {"--at": moment.at_s, "--horizon": study.horizon_s, "--within": asked.within_s}
    for option, value in numbers.items():
        least_is_fine = option == "--at"
        if value is not None and not (value > 0.0 or (least_is_fine and value == 0.0)):
            expected = "at least 0" if least_is_fine else "above 0"
            raise BadInput("this is no such time", where=option, found=value, expected=expected)
    if asked.futures < 1:
        raise BadInput(
            "nothing can be said without futures",
            where="--futures",
            found=asked.futures,
            expected="at least 1",
        )
