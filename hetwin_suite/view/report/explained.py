"""What would have had to be different for a run to succeed, as `hetwin explain` leaves it beside the run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.run_folder import EXPLANATION
from hetwin_suite.view.palette import SERIES
from hetwin_suite.view.report.document import Document, card
from hetwin_suite.view.report.figure import Figure, escaped, figure, line
from hetwin_suite.view.report.plot import axis

MOST_OBJECTS = 2
_HEIGHT = 460
_HOW = "The smallest change with which at least nine of ten futures of this run succeed."


def explained(document: Document, episode: Episode) -> str:
    """Return the card of a run's explanation; empty if it has none that can be read."""
    try:
        found = json.loads((episode.run / EXPLANATION).read_text(encoding="utf-8"))
        text, paths = str(found["text"]), found["paths"]
        plots = [_plot(document, episode, name, paths[name]) for name in list(paths)[:MOST_OBJECTS]]
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return ""
    return card(
        "What would have had to be different", _HOW, f"<p>{escape(text)}</p>{''.join(plots)}"
    )


def _plot(document: Document, episode: Episode, name: str, paths: Sequence[Any]) -> str:
    """Draw an object's way in the run, and in the futures that succeed, from above."""
    where = episode.layout.range_of(name, POSE.name).start
    way = episode.values[:, where : where + 2]
    traces = [line(way[:, 0], way[:, 1], "in this run", SERIES[0])]
    for number, path in enumerate(paths):
        rows = np.asarray(path, np.float64)
        more: Mapping[str, Any] = {"opacity": 0.6, "showlegend": number == 0}
        traces.append(line(rows[:, 1], rows[:, 2], "with the change", SERIES[2], **more))
    return f"<p>{escape(name)} from above:</p>{document.plot(_square(traces))}"


def _square(traces: list[dict[str, Any]]) -> Figure:
    across: dict[str, Any] = {"title": {"text": escaped("x [m]")}, "automargin": True}
    up: dict[str, Any] = {**axis("y [m]"), "scaleanchor": "x", "scaleratio": 1}
    return figure(traces, _HEIGHT, xaxis=across, yaxis=up)
