"""Figures of a forecast: events as they become likely, and the fan of paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.futures.page.plots import BAD, GOOD
from hetwin_suite.futures.predicting.forecast import Forecast
from hetwin_suite.futures.runs.run_result import RunResult
from hetwin_suite.view.palette import SERIES
from hetwin_suite.view.report.figure import Figure, escaped, figure, line
from hetwin_suite.view.report.plot import axis

MOST_EVENTS = 8
MOST_PATHS = 100
HEIGHT, TALL = 340, 460


def over_time(forecast: Forecast) -> Figure | None:
    """The share of futures in which an event has happened by a time; of the events that part them most."""
    events = sorted(forecast.events, key=lambda one: abs(one.share - 0.5))[:MOST_EVENTS]
    if not events:
        return None
    end = forecast.at_s + forecast.horizon_s
    traces: list[dict[str, Any]] = []
    for event, colour in zip(
        sorted(events, key=lambda one: one.median_s), SERIES * 2, strict=False
    ):
        firsts = [one.first() for one in forecast.finished]
        times = sorted(f[event.name].time_ns / 1e9 for f in firsts if event.name in f)
        shares = np.arange(1, len(times) + 1) / len(firsts)
        across = [forecast.at_s, *times, end]
        up = [0.0, *shares.tolist(), float(shares[-1])]
        trace = line(across, up, event.name, colour)
        trace["line"] = {**trace.get("line", {}), "shape": "hv"}
        traces.append(trace)
    return figure(
        traces,
        HEIGHT,
        xaxis={"title": {"text": "simulated time [s]"}, "automargin": True},
        yaxis={**axis("has happened"), "range": [-0.02, 1.02], "tickformat": ".0%"},
    )


def moved(forecast: Forecast) -> list[str]:
    """Return the objects that move in any future, those that spread most first."""
    ends: dict[str, list[Any]] = {}
    for one in forecast.finished:
        for name, path in one.paths.items():
            ends.setdefault(name, []).append(path[-1, 1:])
    spread = {name: float(np.ptp(np.stack(at), axis=0).max()) for name, at in ends.items()}
    return sorted(spread, key=lambda name: -spread[name])


def fan(forecast: Forecast, name: str, *, from_above: bool) -> Figure:
    """The paths of an object in all futures.

    Args:
        forecast: of the futures.
        name: of the object.
        from_above: show x and y; else the height over time.
    """
    traces: list[dict[str, Any]] = []
    for words, good, colour in (("succeeds", True, GOOD), ("fails", False, BAD)):
        futures = [one for one in forecast.finished if one.succeeded is good]
        shown = [one for one in futures if name in one.paths][:MOST_PATHS]
        across, up = _joined(shown, name, (1, 2) if from_above else (0, 3))
        told = words if forecast.outcomes else "futures"
        trace = line(across, up, told, colour)
        trace |= {"connectgaps": False, "opacity": 0.6}
        if shown:
            traces.append(trace)
    titles = ("x [m]", "y [m]") if from_above else ("simulated time [s]", "height [m]")
    across_axis: dict[str, Any] = {"title": {"text": escaped(titles[0])}, "automargin": True}
    up_axis: dict[str, Any] = dict(axis(titles[1]))
    if from_above:
        up_axis |= {"scaleanchor": "x", "scaleratio": 1}
    return figure(traces, TALL, xaxis=across_axis, yaxis=up_axis)


def _joined(
    futures: Sequence[RunResult], name: str, columns: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Return two columns of all paths as one line with gaps, which are not numbers."""
    gap = np.full((1, 2), np.nan)
    parts = [part for one in futures for part in (one.paths[name][:, columns], gap)]
    whole = np.concatenate([gap, *parts])
    return whole[:, 0], whole[:, 1]
