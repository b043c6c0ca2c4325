"""Forecasts, decisions and explanations from many futures of one moment of a run.

For example::

    from hetwin_futures import predict
    from hetwin_suite.study import Moment, Study

    study = Study("pick_and_place", seed=3, horizon_s=0.2)
    print(predict(study, Moment(at_s=0.5), 2).success)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_futures.batch import Batch as Batch
    from hetwin_futures.batch import project as project
    from hetwin_futures.cluster import Cluster as Cluster
    from hetwin_futures.deciding import Decision as Decision
    from hetwin_futures.deciding import decide as decide
    from hetwin_futures.explaining import explain as explain
    from hetwin_futures.explanation import Explanation as Explanation
    from hetwin_futures.forecast import Forecast as Forecast
    from hetwin_futures.intervals import relative_difference as relative_difference
    from hetwin_futures.of_run import study_of as study_of
    from hetwin_futures.predicting import predict as predict
    from hetwin_futures.scores import Scores as Scores
    from hetwin_futures.scores import score as score
    from hetwin_futures.scores_page import reliability_page as reliability_page
    from hetwin_futures.scores_page import score_lines as score_lines
    from hetwin_futures.strategies import read_library as read_library
    from hetwin_futures.successes import Prior as SuccessPrior
    from hetwin_futures.successes import Row as SuccessRow
    from hetwin_futures.successes import fits as success_fits
    from hetwin_futures.until import read_until as read_until

_HOMES = {
    "Batch": "batch:Batch",
    "Cluster": "cluster:Cluster",
    "Decision": "deciding:Decision",
    "Explanation": "explanation:Explanation",
    "Forecast": "forecast:Forecast",
    "Scores": "scores:Scores",
    "SuccessPrior": "successes:Prior",
    "SuccessRow": "successes:Row",
    "decide": "deciding:decide",
    "relative_difference": "intervals:relative_difference",
    "explain": "explaining:explain",
    "predict": "predicting:predict",
    "project": "batch:project",
    "read_library": "strategies:read_library",
    "read_until": "until:read_until",
    "reliability_page": "scores_page:reliability_page",
    "score": "scores:score",
    "score_lines": "scores_page:score_lines",
    "study_of": "of_run:study_of",
    "success_fits": "successes:fits",
}
"""Name -> MODULE:NAME in this package, imported when the name is first used."""

__all__ = [
    "Batch",
    "Cluster",
    "Decision",
    "Explanation",
    "Forecast",
    "Scores",
    "SuccessPrior",
    "SuccessRow",
    "decide",
    "explain",
    "predict",
    "project",
    "read_library",
    "read_until",
    "relative_difference",
    "reliability_page",
    "score",
    "score_lines",
    "study_of",
    "success_fits",
]


def __getattr__(name: str) -> object:
    """Import an exported name when it is first used (PEP 562), which keeps the start of commands fast."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    found: object = getattr(import_module(f"{__name__}.{module}"), attribute)
    globals()[name] = found
    return found
