"""What all plots over time share."""

from __future__ import annotations

from typing import Any, NamedTuple

from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.report.figure import Figure, escaped, time_axis


class Plot(NamedTuple):
    """A figure with its heading and a sentence on how to read it."""

    title: str
    text: str
    figure: Figure


def over(episode: Episode, layout: dict[str, Any]) -> dict[str, Any]:
    """A layout with the run's time as its x axis, under the lowest of its y axes."""
    shared = time_axis(episode.start_ns / 1e9, episode.end_ns / 1e9)
    lowest = max((key for key in layout if key.startswith("yaxis")), default="yaxis")
    if lowest != "yaxis":
        shared["anchor"] = lowest.replace("axis", "")
    return {**layout, "xaxis": shared}


def axis(title: str) -> dict[str, Any]:
    """A y axis."""
    return {
        "title": {"text": escaped(title), "standoff": 10},
        "zeroline": False,
        "automargin": True,
    }
