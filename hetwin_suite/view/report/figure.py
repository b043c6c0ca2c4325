"""Figures as plotly reads them, without building them through its Python classes, which is slow."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hetwin_suite.view.palette import see_through

Figure: TypeAlias = dict[str, Any]
"""What plotly draws: data and layout."""
LEGEND_BELOW = {"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"}
"""A legend at the bottom of a figure."""
_MOST_POINTS = 1600


def numbers(values: ArrayLike) -> dict[str, str]:
    """Numbers as base64 of float32, which is compact, and finer than any screen."""
    data = np.ascontiguousarray(values, "<f4")
    return {"dtype": "f4", "bdata": base64.b64encode(data.tobytes()).decode("ascii")}


def thinned(count: int) -> NDArray[np.intp]:
    """Which of `count` points to draw: at most some 1600, with the first and the last."""
    if count <= _MOST_POINTS:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, _MOST_POINTS).round().astype(np.intp))


def line(x: Any, y: Any, name: str, colour: str, **more: Any) -> dict[str, Any]:
    """A line through points."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": numbers(x),
        "y": numbers(y),
        "name": escaped(name),
        "line": {"color": colour, "width": 1.8},
        **more,
    }


def bars(rows: list[str], starts: list[float], lengths: list[float], **more: Any) -> dict[str, Any]:
    """Horizontal bars of a time line, one per row, start and length."""
    return {
        "type": "bar",
        "orientation": "h",
        "y": rows,
        "base": starts,
        "x": lengths,
        **more,
    }


def time_axis(start: float, end: float) -> dict[str, Any]:
    """The axis that all figures over time share; the page keeps them at the same range."""
    margin = 0.01 * max(end - start, 1e-3)
    return {
        "range": [start - margin, end + margin],
        "ticksuffix": " s",
        "zeroline": False,
        "hoverformat": ".3f",
    }


def row_axis(rows: Sequence[str]) -> dict[str, Any]:
    """An axis of named rows, the first on top."""
    return {
        "categoryorder": "array",
        "categoryarray": list(reversed(rows)),
        "range": [-0.6, len(rows) - 0.4],
        "automargin": True,
        "showgrid": False,
        "fixedrange": True,
        "ticksuffix": " ",
    }


def markers_at(times: Iterable[float]) -> list[dict[str, Any]]:
    """Thin dotted lines over the whole height of a figure."""
    return [
        {
            "type": "line",
            "xref": "x",
            "yref": "paper",
            "x0": time,
            "x1": time,
            "y0": 0,
            "y1": 1,
            "layer": "below",
            "line": {"color": "rgba(128,136,150,0.75)", "width": 1, "dash": "dot"},
        }
        for time in times
    ]


def band(start: float, end: float, colour: str) -> dict[str, Any]:
    """A tinted stretch of time behind a figure."""
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": start,
        "x1": end,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": see_through(colour, 0.16),
    }


def figure(data: list[dict[str, Any]], height: int, **layout: Any) -> Figure:
    """A figure; colours of text and lines come from the page."""
    base = {
        "height": height,
        "margin": {"l": 58, "r": 14, "t": 10, "b": 32},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "hovermode": "x unified",
    }
    return {"data": data, "layout": {**base, **layout}}


def escaped(text: str) -> str:
    """Escape a name, so that it is not read as one of the HTML tags that plotly knows."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
