"""A future as it plays in the page of a forecast, with where things go in all the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.episode import Episode
from hetwin_suite._study.predicting.forecast import Forecast
from hetwin_suite._study.predicting.plots import MOST_PATHS
from hetwin_suite._study.runs.run_result import RunResult
from hetwin_suite.view.content import Player
from hetwin_suite.view.document import page_script
from hetwin_suite.view.film.layer import Layer
from hetwin_suite.view.report.page import Playing
from hetwin_suite.view.show.filmed import filmed

COLUMNS = ("line", "x", "y", "z", "succeeds")


def playing_future(forecast: Forecast) -> Playing | None:
    """Return the first future that is kept, as a page plays it; None if none is.

    Raises:
        BadInput: if its log cannot be read.
    """
    one = next((one for one in forecast.finished if one.folder), None)
    if one is None or one.folder is None:
        return None
    try:
        page_script()
    except BadInput as error:
        return Playing(Player(why_not=f"It does not play here: {error}"), {})
    film = filmed(Episode.open(Path(one.folder)))
    film = replace(film, layers=(*film.layers, fan_layer(forecast)))
    return Playing(Player(), {"film-0": film})


def fan_layer(forecast: Forecast) -> Layer:
    """Return the paths of what moves, (n, 5) line, position in the world [m] and whether the future succeeds."""
    shown = forecast.finished[:MOST_PATHS]
    paths = [(one, path[:, 1:]) for one in shown for path in one.paths.values()]
    rows = [_rows(line, one, path) for line, (one, path) in enumerate(paths)]
    whole = np.concatenate([np.empty((0, len(COLUMNS))), *rows])
    return Layer.of("futures", COLUMNS, [(0.0, whole)])


def _rows(line: int, one: RunResult, path: Floats) -> Floats:
    number, succeeds = (np.full(len(path), float(value)) for value in (line, one.succeeded))
    return np.column_stack((number, path, succeeds))
