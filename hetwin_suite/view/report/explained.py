"""What would have had to be different for a run to succeed, as `hetwin explain` leaves it beside the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.limits import read_json
from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.run_folder import EXPLANATION
from hetwin_suite.view.content import Content, Paragraph, Section
from hetwin_suite.view.figures import Axis, Chart, Line, Panel
from hetwin_suite.view.palette import SERIES

MOST_OBJECTS = 2
_HEIGHT = 380
_HOW = "The smallest change with which at least nine of ten futures of this run succeed."


def explained(episode: Episode) -> Section | None:
    """Return the section of a run's explanation; None if it has none that can be read."""
    try:
        found = read_json(episode.run / EXPLANATION)
        text, paths = str(found["text"]), found["paths"]
        plots = [_plot(episode, name, paths[name]) for name in list(paths)[:MOST_OBJECTS]]
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None
    return Section("What would have had to be different", _HOW, [Paragraph(text), plots])


def _plot(episode: Episode, name: str, paths: Sequence[Any]) -> Content:
    """Draw an object's way in the run, and in the futures that succeed, from above."""
    where = episode.layout.range_of(name, POSE.name).start
    way = episode.values[:, where : where + 2]
    lines = [Line("in this run", way[:, 0], way[:, 1], SERIES[0], unit="m")]
    for path in paths:
        rows = np.asarray(path, np.float64)
        lines.append(
            Line("with the change", rows[:, 1], rows[:, 2], SERIES[2], unit="m", opacity=0.6)
        )
    panel = Panel(lines, Axis("y [m]"))
    drawn = Chart([panel], x=Axis("x [m]"), height=_HEIGHT, equal=True, single=True)
    return [Paragraph(f"{name} from above:"), drawn]
