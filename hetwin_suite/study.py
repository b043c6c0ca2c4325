"""Many runs of one scenario: from its start, from a moment of it, or of its recorded episodes.

A `Study` computes the runs. Uncertain quantities are drawn for each run; a draw can be changed before its run is
computed::

    from hetwin_suite.study import Study

    study = Study("pick_and_place", seed=3, horizon_s=0.2)
    for run in study.runs(study.draw(index) for index in range(2)):
        print(run.index, run.outcomes, run.inputs)

The package `hetwin_futures` (`pip install "hetwin-suite[futures]"`) makes predictions, decisions and explanations from
the runs of a moment.
"""

from __future__ import annotations

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.uncertainty import (
    Factor,
    Mixture,
    NumberSpread,
    PoseMixture,
    Sigma,
    Uniform,
    Values,
)
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_suite._study.draw import AS_BELIEVED, Draw
from hetwin_suite._study.intervals import Probability, probability
from hetwin_suite._study.judging import ObservedScenario, RunObserver, check_utility, judged_tables
from hetwin_suite._study.keep import Keep
from hetwin_suite._study.making import run_once
from hetwin_suite._study.processes import Processes
from hetwin_suite._study.replaying import (
    JudgedClaim,
    Replay,
    ReplayJob,
    ReplayResult,
    Trouble,
    judged_claims,
)
from hetwin_suite._study.root import Root, at_moment
from hetwin_suite._study.run_result import Moment, RunAtMoment, RunEvent, RunResult
from hetwin_suite._study.study import Study
from hetwin_suite._study.uncertain import (
    UncertainParameter,
    UncertainPose,
    UncertainQuantity,
    Uncertainty,
)
from hetwin_suite._study.work import FinishedTask, FunctionJob, Job

__all__ = [
    "AS_BELIEVED",
    "Draw",
    "Factor",
    "FinishedTask",
    "FunctionJob",
    "Job",
    "JudgedClaim",
    "Keep",
    "Mixture",
    "ModelPort",
    "Moment",
    "NumberSpread",
    "ObservedScenario",
    "PoseMixture",
    "Probability",
    "Processes",
    "Replay",
    "ReplayJob",
    "ReplayResult",
    "Root",
    "RunAtMoment",
    "RunEvent",
    "RunObserver",
    "RunOptions",
    "RunResult",
    "Sigma",
    "Study",
    "Trouble",
    "UncertainParameter",
    "UncertainPose",
    "UncertainQuantity",
    "Uncertainty",
    "Uniform",
    "Values",
    "at_moment",
    "check_utility",
    "judged_claims",
    "judged_tables",
    "probability",
    "run_once",
]
