"""Figures of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_suite.futures.batch import Batch
from hetwin_suite.futures.counting.confidence import Share, share
from hetwin_suite.futures.runs.run_result import RunResult
from hetwin_suite.view.palette import SERIES, see_through
from hetwin_suite.view.report.figure import Figure, escaped, figure, line, numbers
from hetwin_suite.view.report.plot import axis

MOST_POINTS = 200
"""Looks of which a plot shows the intervals."""
EDGE: dict[str, Any] = {"showlegend": False, "opacity": 0.4, "hoverinfo": "skip"}
GOOD, BAD = "#23845a", "#c53d3d"


def over_runs(batch: Batch) -> Figure:
    """How likely each outcome is, as it became known run by run."""
    of = _looks(len(batch.runs))
    traces: list[dict[str, Any]] = []
    for name, colour in zip(batch.outcomes, SERIES, strict=False):
        came = np.cumsum([run.outcomes.get(name) is True for run in batch.runs])
        known: list[Share] = [share(int(came[n - 1]), n) for n in of]
        traces += [
            line(of, [k.high for k in known], "", colour, **EDGE),
            line(of, [k.low for k in known], "", colour, **EDGE, **_filled(colour)),
            line(of, [k.yes / k.of for k in known], name, colour),
        ]
    return figure(
        traces,
        320,
        xaxis={"title": {"text": "runs"}, "automargin": True},
        yaxis={**axis("probability"), "range": [-0.02, 1.02], "tickformat": ".0%"},
    )


def _filled(colour: str) -> dict[str, str]:
    return {"fill": "tonexty", "fillcolor": see_through(colour, 0.16)}


def _looks(runs: int) -> list[int]:
    """The numbers of runs after which a plot shows what is known."""
    if runs <= MOST_POINTS:
        return list(range(1, runs + 1))
    return sorted({round(n) for n in np.linspace(1, runs, MOST_POINTS)})


def inputs(batch: Batch) -> Figure | None:
    """The runs by their two inputs that go with failure most; None if there are not two numbers."""
    names = _shown_inputs(batch)
    if names is None:
        return None
    across, up = names
    traces = []
    for words, good, colour in (("as wanted", True, GOOD), ("not as wanted", False, BAD)):
        runs = [run for run in batch.runs if run.succeeded is good]
        dots = {
            "type": "scatter",
            "mode": "markers",
            "x": numbers(_column(runs, across)),
            "y": numbers(_column(runs, up)),
            "text": [f"run {run.index}" for run in runs],
            "name": words,
            "marker": {"color": colour, "size": 7, "symbol": "circle" if good else "x"},
        }
        traces.append(dots)
    return figure(
        traces,
        420,
        xaxis={"title": {"text": escaped(across)}, "automargin": True, "zeroline": False},
        yaxis=axis(up),
    )


def _shown_inputs(batch: Batch) -> tuple[str, str] | None:
    first = [name for name, _ in batch.related]
    names = [*first, *(name for name in batch.runs[0].inputs if name not in first)]
    known = [name for name in names if all(_is_number(run.inputs.get(name)) for run in batch.runs)]
    return (known[0], known[1]) if len(known) > 1 else None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _column(runs: Sequence[RunResult], name: str) -> list[Any]:
    return [run.inputs[name] for run in runs]
