"""Many runs of one scenario: what may happen, what comes next, what is best, and what would have had to differ.

A `Study` makes the runs. What is uncertain is drawn for each of them; a draw can be changed before its run is made::

    from hetwin_suite.study import Moment, Study, predict

    study = Study("pick_and_place", seed=3, horizon_s=0.2)
    for run in study.runs(study.draw(index) for index in range(2)):
        print(run.index, run.outcomes, run.inputs)
    print(predict(study, Moment(at_s=0.5), 2).success)
"""

from __future__ import annotations

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_suite._study.batch import Batch, project
from hetwin_suite._study.deciding.decide import Decision, decide
from hetwin_suite._study.deciding.strategies import read_library
from hetwin_suite._study.drawing.draw import Draw
from hetwin_suite._study.explaining.explain import explain
from hetwin_suite._study.explaining.explanation import Explanation
from hetwin_suite._study.intervals import error_of, probability
from hetwin_suite._study.predicting.forecast import Forecast
from hetwin_suite._study.predicting.predict import predict
from hetwin_suite._study.replaying import Judged, Replay, Replayed, Replaying, Trouble
from hetwin_suite._study.runs.judging import Watch, Watcher
from hetwin_suite._study.runs.keep import Keep
from hetwin_suite._study.runs.of_run import study_of
from hetwin_suite._study.runs.root import at_moment
from hetwin_suite._study.runs.run_result import Moment, Now, RunResult
from hetwin_suite._study.runs.study import Study
from hetwin_suite._study.scores import Scores, score
from hetwin_suite._study.successes import Prior as SuccessPrior
from hetwin_suite._study.successes import Row as SuccessRow
from hetwin_suite._study.successes import fits as success_fits
from hetwin_suite._study.until import read_until
from hetwin_suite._study.workers.cluster import Cluster
from hetwin_suite._study.workers.processes import Processes
from hetwin_suite._study.workers.work import Done, Each, Job

__all__ = [
    "Batch",
    "Cluster",
    "Decision",
    "Done",
    "Draw",
    "Each",
    "Explanation",
    "Forecast",
    "Job",
    "Judged",
    "Keep",
    "ModelPort",
    "Moment",
    "Now",
    "Processes",
    "Replay",
    "Replayed",
    "Replaying",
    "RunOptions",
    "RunResult",
    "Scores",
    "Study",
    "SuccessPrior",
    "SuccessRow",
    "Trouble",
    "Watch",
    "Watcher",
    "at_moment",
    "decide",
    "error_of",
    "explain",
    "predict",
    "probability",
    "project",
    "read_library",
    "read_until",
    "score",
    "study_of",
    "success_fits",
]
