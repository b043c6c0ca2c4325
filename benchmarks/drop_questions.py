"""What is predicted of a recorded drop, from which moment on, and what really came about.

Of the recording, only the path of the arm is read after the moment, as a stand-in for the planned one.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from kept_drops import Drop
from planned_grasp import grasp_plan, grasping
from planned_opening import write_plan

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_futures.forecast import Forecast
from hetwin_futures.predicting import predict
from hetwin_suite._study.run_result import Moment, RunResult
from hetwin_suite._study.study import Study

HAND, BALL = "right_hand", "ball"
LIFTED_M = 0.03
"""A ball this high above its place was lifted; so the stand-in judges it, too."""
LIFTS_S = 0.6
"""So long after `lift` has begun, what is held is higher than that."""


class Question(ABC):
    """What is predicted.

    Attributes:
        at: the action at whose beginning it is predicted.
        scenario: what is run.
        words: what is asked.
    """

    at: str
    scenario: str
    words: str

    @abstractmethod
    def asks(self, drop: Drop) -> bool:
        """Whether it is asked of this drop."""

    @abstractmethod
    def came(self, drop: Drop) -> bool:
        """Whether it came about."""

    @abstractmethod
    def _holds(self, future: RunResult) -> bool:
        """Whether it comes about in a future."""

    @abstractmethod
    def _forecast(self, drop: Drop, futures: int, jobs: int) -> Forecast:
        """Let futures go on."""

    def predicted(self, drop: Drop, futures: int, jobs: int) -> dict[str, Any]:
        """Return the forecast of a drop, with `p` and what was drawn.

        Raises:
            HetwinError: if a future fails.
        """
        forecast = self._forecast(drop, futures, jobs)
        for one in forecast.failed:
            raise HetwinError(f"{drop.folder}: future {one.index}: {one.error}")
        came = [self._holds(one) for one in forecast.finished]
        drawn = [
            {"came": yes, **one.inputs} for yes, one in zip(came, forecast.finished, strict=True)
        ]
        return {"p": sum(came) / len(came), **forecast.to_json(), "drawn": drawn}


class FallsIn(Question):
    """Whether a ball that is held when `move` begins ends in its container."""

    at, scenario, words = "move", "uncertain_environment", "held, ends in its container"

    def asks(self, drop: Drop) -> bool:
        """See `Question.asks`."""
        at = drop.announced.get(self.at)
        held = drop.truth["held"]
        return at is not None and any(begin <= at < end for begin, end in held)

    def came(self, drop: Drop) -> bool:
        """See `Question.came`."""
        return bool(drop.truth["label"] == "success")

    def _holds(self, future: RunResult) -> bool:
        return future.succeeded

    def _forecast(self, drop: Drop, futures: int, jobs: int) -> Forecast:
        scenario = load_scenario(find_scenario(self.scenario))
        times, plan = drop.announced, drop.folder / f"plan_{self.at}"
        shutil.rmtree(plan, ignore_errors=True)  # of a run that was stopped
        write_plan(drop.recording, plan, scenario, HAND, times[self.at], times["release"])
        options = RunOptions(source=str(plan), scene=drop.scene)
        study = Study(scenario, options, seed=_seed(drop), jobs=jobs)
        return predict(study, Moment(before=self.at), futures)


class IsHeld(Question):
    """Whether a ball is lifted that the hand is to take, asked when `reach` begins.

    In-hand localization follows measured fingers, of which there are none yet: physics alone has fingers stop at it.
    """

    at, scenario, words = "reach", "uncertain_environment_single", "is lifted"

    def asks(self, drop: Drop) -> bool:
        """See `Question.asks`."""
        return self.at in drop.announced

    def came(self, drop: Drop) -> bool:
        """See `Question.came`."""
        return bool(drop.truth["cause"] != "never_held")

    def _holds(self, future: RunResult) -> bool:
        path = future.paths.get(BALL)
        return path is not None and bool(path[:, 3].max() - path[0, 3] > LIFTED_M)

    def _forecast(self, drop: Drop, futures: int, jobs: int) -> Forecast:
        scenario = load_scenario(find_scenario(self.scenario))
        times = drop.announced
        source = grasp_plan(Path(drop.recording), scenario, HAND, times["move_hand"])
        horizon_s = times["lift"] + LIFTS_S - times[self.at]
        options, seed = RunOptions(source=source, scene=drop.scene), _seed(drop)
        study = Study(grasping(scenario), options, seed=seed, horizon_s=horizon_s, jobs=jobs)
        return predict(study, Moment(before=self.at), futures)


def _seed(drop: Drop) -> int:
    """Return the seed of the draws: another one for each drop, so that what is rare is drawn in some."""
    return int(1000 * drop.truth["seed"] + drop.truth["index"])


QUESTIONS: dict[str, Question] = {one.at: one for one in (FallsIn(), IsHeld())}
"""By the action at whose beginning they are asked."""
