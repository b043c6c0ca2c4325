"""One picture of curves: shares of right verdicts over the levels of an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hetwin_suite.mismatch import Axis
from hetwin_suite.page import MAIN, SERIES, Figure, band, figure, numbers, see_through
from hetwin_suite.proving_ground.evaluation.approaches import APPROACHES
from hetwin_suite.proving_ground.robustness.curves import GOOD_SHARE, CurvePoint
from hetwin_suite.proving_ground.robustness.levels import beyond, place, shown_level
from hetwin_suite.proving_ground.robustness.worth import OURS

_APART = 0.011
"""Between the points of two approaches at the same level, so that equal ones are seen; share of the width."""
_MARGIN = 0.06
_HEIGHT = 250


def colour_of(approach: str) -> str:
    """Return an approach's colour; the same on all pictures."""
    return SERIES[APPROACHES.index(approach) % len(SERIES)]


def curves_figure(
    axis: Axis, levels: Sequence[float], curves: Sequence[Sequence[CurvePoint]]
) -> Figure:
    """Draw a line per approach with its interval as a band; shade what real hardware has.

    Args:
        axis: of the levels.
        levels: all that are drawn on this axis, in order.
        curves: the points of each approach, by level.
    """
    places = [place(level, levels) for level in levels]
    width = max(places) - min(places) or 1.0
    low, high = min(places) - _MARGIN * width, max(places) + _MARGIN * width
    data: list[dict[str, Any]] = []
    order = sorted(curves, key=lambda points: points[0].line.approach == OURS)  # ours on top
    for points in order:
        shift = _shift(points[0].line.approach, [c[0].line.approach for c in curves]) * width
        data += _traces(axis, levels, [p for p in points if p.of], shift)
    return figure(
        data,
        _HEIGHT,
        margin={"l": 46, "r": 8, "t": 6, "b": 30},
        showlegend=False,
        hovermode="closest",
        shapes=[*_hardware(axis, levels, low, high), _good()],
        xaxis={
            "range": [low, high],
            "tickvals": places,
            "ticktext": [shown_level(axis, level) for level in levels],
            "zeroline": False,
            "tickangle": 0,
            "tickfont": {"size": 10.5},
        },
        yaxis={"range": [-0.04, 1.05], "tickformat": ".0%", "dtick": 0.2, "zeroline": False},
    )


def _shift(approach: str, shown: Sequence[str]) -> float:
    return (shown.index(approach) - (len(shown) - 1) / 2) * _APART


def _traces(
    axis: Axis, levels: Sequence[float], points: Sequence[CurvePoint], shift: float
) -> list[dict[str, Any]]:
    if not points:
        return []
    approach = points[0].line.approach
    colour, ours = colour_of(approach), approach == OURS
    x = [place(point.level, levels) + shift for point in points]
    lows, highs = zip(*(point.interval for point in points), strict=True)
    interval = {
        "type": "scatter",
        "mode": "lines",
        "x": numbers([*x, *reversed(x)]),
        "y": numbers([*highs, *reversed(lows)]),
        "fill": "toself",
        "fillcolor": see_through(colour, 0.20 if ours else 0.09),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }
    symbols = ["circle-open" if beyond(axis, point.level) else "circle" for point in points]
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": numbers(x),
        "y": numbers([point.share for point in points]),
        "line": {"color": colour, "width": 2.6 if ours else 1.4},
        "marker": {"color": colour, "size": 7 if ours else 5.5, "symbol": symbols},
        "text": [_hover(axis, point) for point in points],
        "hovertemplate": "%{text}<extra></extra>",
    }
    return [interval, line]


def _hover(axis: Axis, point: CurvePoint) -> str:
    low, high = point.interval
    left_out = f", {point.not_applicable} n/a" if point.not_applicable else ""
    return (
        f"{point.line.approach} at {shown_level(axis, point.level)}: {point.right} of {point.of}"
        f" ({low:.0%} to {high:.0%}){left_out}"
    )


def _hardware(axis: Axis, levels: Sequence[float], low: float, high: float) -> list[dict[str, Any]]:
    if axis.hardware is None:
        return []
    begin, end = (place(level, levels) for level in axis.hardware)
    return [band(max(begin, low), min(end, high), MAIN)] if begin <= high and end >= low else []


def _good() -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "yref": "y",
        "x0": 0,
        "x1": 1,
        "y0": GOOD_SHARE,
        "y1": GOOD_SHARE,
        "layer": "below",
        "line": {"color": "rgba(128,136,150,0.75)", "width": 1, "dash": "dot"},
    }
