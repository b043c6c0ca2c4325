"""Figures of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_suite._study.batch import Batch
from hetwin_suite._study.counting.confidence import Share, share
from hetwin_suite._study.runs.run_result import RunResult
from hetwin_suite.view.figures import Axis, Chart, Line, LineStyle, Panel, PointStyle
from hetwin_suite.view.palette import SERIES

MOST_POINTS = 200
"""Looks of which a plot shows the intervals."""
GOOD, BAD = "#23845a", "#c53d3d"
SHARES = Axis("probability", (-0.02, 1.02), percent=True)


def over_runs(batch: Batch) -> Chart:
    """How likely each outcome is, as it became known run by run."""
    of = _looks(len(batch.runs))
    lines = []
    for name, colour in zip(batch.outcomes, SERIES, strict=False):
        came = np.cumsum([run.outcomes.get(name) is True for run in batch.runs])
        known: list[Share] = [share(int(came[n - 1]), n) for n in of]
        shares = [k.yes / k.of for k in known]
        band = [k.low for k in known], [k.high for k in known]
        lines.append(Line(name, of, shares, colour, unit="%", decimals=1, band=band))
    return Chart([Panel(lines, SHARES)], x=Axis("runs"), height=260)


def _looks(runs: int) -> list[int]:
    """The numbers of runs after which a plot shows what is known."""
    if runs <= MOST_POINTS:
        return list(range(1, runs + 1))
    return sorted({round(n) for n in np.linspace(1, runs, MOST_POINTS)})


def inputs(batch: Batch) -> Chart | None:
    """The runs by their two inputs that go with failure most; None if there are not two numbers."""
    names = _shown_inputs(batch)
    if names is None:
        return None
    lines = []
    for words, good, colour in (("as wanted", True, GOOD), ("not as wanted", False, BAD)):
        runs = [run for run in batch.runs if run.succeeded is good]
        x, y = (_column(runs, name) for name in names)
        dots = [PointStyle.CIRCLE if good else PointStyle.CROSS]
        said = [f"run {run.index}: {_place(run, names)}" for run in runs]
        lines.append(Line(words, x, y, colour, style=LineStyle.NONE, points=dots, texts=said))
    return Chart([Panel(lines, Axis(names[1]))], x=Axis(names[0]), height=340, single=True)


def _place(run: RunResult, names: tuple[str, str]) -> str:
    return ", ".join(f"{name} {run.inputs[name]:.5g}" for name in names)


def _shown_inputs(batch: Batch) -> tuple[str, str] | None:
    first = [name for name, _ in batch.related]
    names = [*first, *(name for name in batch.runs[0].inputs if name not in first)]
    known = [name for name in names if all(_is_number(run.inputs.get(name)) for run in batch.runs)]
    return (known[0], known[1]) if len(known) > 1 else None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _column(runs: Sequence[RunResult], name: str) -> list[Any]:
    return [run.inputs[name] for run in runs]
