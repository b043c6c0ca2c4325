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
from hetwin_suite.futures.batch import Batch, project
from hetwin_suite.futures.counting.until import read_until
from hetwin_suite.futures.counting.wilson import probability
from hetwin_suite.futures.deciding.decide import decide
from hetwin_suite.futures.deciding.decision import Decision
from hetwin_suite.futures.deciding.library import read_library
from hetwin_suite.futures.drawing.draw import Draw
from hetwin_suite.futures.explaining.explain import explain
from hetwin_suite.futures.explaining.explanation import Explanation
from hetwin_suite.futures.predicting.forecast import Forecast
from hetwin_suite.futures.predicting.predict import predict
from hetwin_suite.futures.runs.keep import Keep
from hetwin_suite.futures.runs.of_run import study_of
from hetwin_suite.futures.runs.origins import Moment, Now
from hetwin_suite.futures.runs.root import at_moment
from hetwin_suite.futures.runs.run_result import RunResult
from hetwin_suite.futures.runs.study import Study
from hetwin_suite.futures.runs.watching import Watch, Watcher
from hetwin_suite.futures.workers.cluster import Cluster
from hetwin_suite.futures.workers.processes import Processes
from hetwin_suite.futures.workers.work import Each, Job

__all__ = [
    "Batch",
    "Cluster",
    "Decision",
    "Draw",
    "Each",
    "Explanation",
    "Forecast",
    "Job",
    "Keep",
    "Moment",
    "Now",
    "Processes",
    "RunOptions",
    "RunResult",
    "Study",
    "Watch",
    "Watcher",
    "at_moment",
    "decide",
    "explain",
    "predict",
    "probability",
    "project",
    "read_library",
    "read_until",
    "study_of",
]
