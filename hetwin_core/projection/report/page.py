"""Puts the page of a run together."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path

from plotly.offline import get_plotlyjs

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.projection.episode import Episode
from hetwin_core.projection.report import sections
from hetwin_core.projection.report.figure import Figure
from hetwin_core.projection.report.pictures import pictures
from hetwin_core.projection.report.plots import plots, resting_objects
from hetwin_core.projection.report.script import SCRIPT
from hetwin_core.projection.report.space import space
from hetwin_core.projection.report.style import CSS
from hetwin_core.projection.report.timeline import timeline
from hetwin_core.projection.run_folder import REPORT, write_atomically


def write_report(run: Path, out: Path | None = None) -> Path:
    """Write the report of a run: one HTML file that loads nothing from anywhere.

    Args:
        run: folder of the run.
        out: the file to write; by default ``report.html`` in the folder.

    Returns:
        The file.

    Raises:
        BadInput: if the folder holds no run that can be read, or the file cannot be written.
    """
    episode = Episode.open(run)
    path = run / REPORT if out is None else out
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, page(episode))
    except OSError as error:
        raise BadInput(f"the report cannot be written: {error.strerror}", file=path) from error
    return path


def page(episode: Episode) -> str:
    """The whole page."""
    figures: list[Figure] = []

    def plot(figure: Figure) -> str:
        figures.append(figure)
        height = figure["layout"]["height"]
        return (
            f'<div class="plot" data-figure="{len(figures) - 1}" style="height:{height}px"></div>'
        )

    body = "".join(
        [
            sections.head(episode),
            _card(
                "Who was responsible for what",
                "Bars have the colour of the responsible model. Dots are events; point at them.",
                plot(timeline(episode)),
            ),
            _pictures(episode),
            _card("What happened", "", sections.happenings_table(episode)),
            *(_card(p.title, p.text, plot(p.figure)) for p in plots(episode)),
            _resting(episode),
            _end(episode, plot),
            _models(episode),
        ]
    )
    return _document(episode.scenario, body, figures)


def _document(title: str, body: str, figures: list[Figure]) -> str:
    # Inside a script element only "<" could end it too early; JSON can escape it.
    data = json.dumps(figures, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · hetwin</title><style>{CSS}</style></head>\n"
        f"<body><main>{body}"
        "<footer>Written by hetwin from the run's log. Zooming one plot over time zooms all;"
        " a double click shows the whole run again.</footer></main>\n"
        f'<script id="figures" type="application/json">{data}</script>\n'
        f"<script>{get_plotlyjs()}</script>\n<script>{SCRIPT}</script></body></html>\n"
    )


def _card(title: str, text: str, content: str) -> str:
    note = f'<p class="note">{escape(text)}</p>' if text else ""
    return f'<section class="card"><h2>{escape(title)}</h2>{note}{content}</section>'


def _pictures(episode: Episode) -> str:
    drawn = pictures(episode)
    if not drawn:
        return ""
    text = (
        "Drawn from the log. An object has an outline and the colour of a model while that model, "
        "and not the main one, is responsible for its pose."
    )
    return _card("The scene at the moments that matter", text, sections.gallery(drawn))


def _resting(episode: Episode) -> str:
    names = resting_objects(episode)
    if not names:
        return ""
    return f'<p class="note" style="margin-top:12px">Did not move: {escape(", ".join(names))}.</p>'


def _end(episode: Episode, plot: Callable[[Figure], str]) -> str:
    state, scene = sections.state_table(episode), space(episode)
    if scene is not None:
        state += f"<details><summary>The scene at the end, to turn around</summary>{plot(scene)}</details>"
    return _card("How it ended", "", state) if state else ""


def _models(episode: Episode) -> str:
    notes = sections.notes_list(episode)
    warnings = f"<h3>Warnings</h3>{notes}" if notes else ""
    return _card("The models", "", sections.models_table(episode) + warnings)
