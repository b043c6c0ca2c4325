"""Figures of a forecast: events as they become likely, and the fan of paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite._study.page import BAD, GOOD, SHARES
from hetwin_suite._study.predicting.forecast import Forecast
from hetwin_suite._study.runs.run_result import RunResult
from hetwin_suite.view.figures import Axis, Chart, Line, LineStyle, Panel
from hetwin_suite.view.palette import SERIES

MOST_EVENTS = 8
MOST_PATHS = 100
HEIGHT, TALL = 260, 380


def over_time(forecast: Forecast) -> Chart | None:
    """The share of futures in which an event has happened by a time; of the events that part them most."""
    events = sorted(forecast.events, key=lambda one: abs(one.share - 0.5))[:MOST_EVENTS]
    if not events:
        return None
    span = forecast.at_s, forecast.at_s + forecast.horizon_s
    firsts = [one.first() for one in forecast.finished]
    lines = []
    for event, colour in zip(
        sorted(events, key=lambda one: one.median_s), SERIES * 2, strict=False
    ):
        times = sorted(f[event.name].time_ns / 1e9 for f in firsts if event.name in f)
        shares = (np.arange(1, len(times) + 1) / len(firsts)).tolist()
        across, up = [span[0], *times, span[1]], [0.0, *shares, shares[-1]]
        lines.append(
            Line(event.name, across, up, colour, unit="%", decimals=0, style=LineStyle.STEPS)
        )
    axis = replace(SHARES, title="has happened")
    return Chart([Panel(lines, axis)], x=Axis("simulated time [s]", span), height=HEIGHT)


def moved(forecast: Forecast) -> list[str]:
    """Return the objects that move in any future, those that spread most first."""
    ends: dict[str, list[Any]] = {}
    for one in forecast.finished:
        for name, path in one.paths.items():
            ends.setdefault(name, []).append(path[-1, 1:])
    spread = {name: float(np.ptp(np.stack(at), axis=0).max()) for name, at in ends.items()}
    return sorted(spread, key=lambda name: -spread[name])


def fan(forecast: Forecast, name: str, *, from_above: bool) -> Chart:
    """The paths of an object in all futures.

    Args:
        forecast: of the futures.
        name: of the object.
        from_above: show x and y; else the height over time.
    """
    lines = []
    for words, good, colour in (("succeeds", True, GOOD), ("fails", False, BAD)):
        futures = [one for one in forecast.finished if one.succeeded is good]
        shown = [one for one in futures if name in one.paths][:MOST_PATHS]
        across, up = _joined(shown, name, (1, 2) if from_above else (0, 3))
        told = words if forecast.outcomes else "futures"
        if shown:
            lines.append(Line(told, across, up, colour, unit="m", opacity=0.6))
    titles = ("x [m]", "y [m]") if from_above else ("simulated time [s]", "height [m]")
    panel = Panel(lines, Axis(titles[1]))
    return Chart([panel], x=Axis(titles[0]), height=TALL, equal=from_above, single=True)


def _joined(
    futures: Sequence[RunResult], name: str, columns: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Return two columns of all paths as one line with gaps, which are not numbers."""
    gap = np.full((1, 2), np.nan)
    parts = [part for one in futures for part in (one.paths[name][:, columns], gap)]
    whole = np.concatenate([gap, *parts])
    return whole[:, 0], whole[:, 1]
