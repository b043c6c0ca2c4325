"""The page of a forecast: probabilities, the events that distinguish the futures, and the paths of objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_futures.batch_page import BAD, GOOD, SHARES
from hetwin_futures.forecast import Forecast
from hetwin_suite.episode import Episode
from hetwin_suite.model import Floats
from hetwin_suite.page import (
    SERIES,
    Axis,
    Chart,
    Code,
    Document,
    Film,
    Fold,
    Inline,
    Layer,
    Line,
    LineStyle,
    Panel,
    Paragraph,
    PlayerWithFilms,
    Section,
    Strong,
    Table,
    film_with_layers,
    playing_film,
)
from hetwin_suite.study import RunResult

MOST_OBJECTS = 3
_HOW = "The first future plays. Lines: paths of the objects in all futures; green: successful ones."


def forecast_page(forecast: Forecast, scenario: str) -> str:
    """Return the page of a forecast as HTML.

    Args:
        forecast: the forecast.
        scenario: name of the scenario, with the variant.
    """
    played = playing_future(forecast)
    head = f"{scenario} from {forecast.at_s:.2f} s to {forecast.end_s:.2f} s"
    scene = [] if played is None else [Section("In the scene", _HOW, played.player)]
    return Document(
        scenario,
        [
            _success(forecast),
            *scene,
            _truths(forecast),
            _parted(forecast),
            *_fans(forecast),
            *_broken(forecast),
        ],
        heading=f"hetwin: {head}, {len(forecast.finished)} futures",
        footer="Written by hetwin predict.",
        films=played.films if played else None,
    ).html()


def _success(forecast: Forecast) -> Section:
    if not forecast.outcomes:
        return Section("Success", content=("The scenario names no ", Code("outcomes"), "."))
    content = [Paragraph(sentence) for sentence in forecast.verdict]
    if not forecast.failures:
        return Section("Success", content=content)
    rows = [
        [failure.cause, f"{failure.share:.0%}", ", ".join(map(str, failure.futures[:12]))]
        for failure in forecast.failures
    ]
    how = "The first event that distinguishes failed futures from successful ones."
    return Section("Success", how, [*content, Table(["why it fails", "share", "futures"], rows)])


def _truths(forecast: Forecast) -> Section:
    rows: list[list[Inline]] = [
        [name, Strong(f"{found.p:.0%}"), f"{found.low:.0%} to {found.high:.0%}"]
        for name, found in forecast.predicates.items()
    ]
    how = "What holds at the end of the futures, with 95 % Wilson intervals."
    return Section("At the end", how, Table(["truth", "probability", "interval"], rows))


def _parted(forecast: Forecast) -> Section:
    shown = over_time(forecast)
    rows = [
        [
            event.name,
            f"{event.median_s:.2f} s",
            f"{event.low_s:.2f} to {event.high_s:.2f} s",
            f"{event.share:.0%}",
        ]
        for event in forecast.events
    ]
    every = Fold(f"all {len(rows)}", Table(["event", "median", "5 to 95 %", "futures"], rows))
    strengths = [[name, f"{strength:.2f}"] for name, strength in forecast.related]
    goes = [Table(["draw that goes with failure", "strength"], strengths)] if strengths else []
    how = "Share of futures in which an event has happened; events of only some futures come first."
    plot = [] if shown is None else [shown]
    return Section("What parts the futures", how, [*plot, *goes, every])


def _fans(forecast: Forecast) -> list[Section]:
    return [
        Section(
            f"Where {name} goes",
            "From above, and its height.",
            [fan(forecast, name, from_above=above) for above in (True, False)],
        )
        for name in moved(forecast)[:MOST_OBJECTS]
    ]


def _broken(forecast: Forecast) -> list[Section]:
    if not forecast.failed:
        return []
    rows = [[str(future.index), future.error or ""] for future in forecast.failed]
    how = "These count neither as successes nor as failures."
    return [Section("Futures that broke down", how, Table(["future", "why"], rows))]


MOST_EVENTS = 8
MOST_PATHS = 100
HEIGHT, TALL = 260, 380


def over_time(forecast: Forecast) -> Chart | None:
    """Plot the share of futures in which an event has happened by a time, for the events that differ most."""
    events = sorted(forecast.events, key=lambda future: abs(future.share - 0.5))[:MOST_EVENTS]
    if not events:
        return None
    span = forecast.at_s, forecast.at_s + forecast.horizon_s
    firsts = [future.first() for future in forecast.finished]
    lines = []
    for event, colour in zip(
        sorted(events, key=lambda future: future.median_s), SERIES * 2, strict=False
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
    """Return the objects that move in any future, the most spread first."""
    ends: dict[str, list[Any]] = {}
    for future in forecast.finished:
        for name, path in future.paths.items():
            ends.setdefault(name, []).append(path[-1, 1:])
    spread = {name: float(np.ptp(np.stack(at), axis=0).max()) for name, at in ends.items()}
    return sorted(spread, key=lambda name: -spread[name])


def fan(forecast: Forecast, name: str, *, from_above: bool) -> Chart:
    """Plot the paths of an object in all futures.

    Args:
        forecast: the forecast.
        name: name of the object.
        from_above: plot x and y; otherwise the height over time.
    """
    lines = []
    for words, good, colour in (("succeeds", True, GOOD), ("fails", False, BAD)):
        futures = [future for future in forecast.finished if future.succeeded is good]
        shown = [future for future in futures if name in future.paths][:MOST_PATHS]
        across, up = _joined(shown, name, (1, 2) if from_above else (0, 3))
        content = words if forecast.outcomes else "futures"
        if shown:
            lines.append(Line(content, across, up, colour, unit="m", opacity=0.6))
    titles = ("x [m]", "y [m]") if from_above else ("simulated time [s]", "height [m]")
    panel = Panel(lines, Axis(titles[1]))
    return Chart([panel], x=Axis(titles[0]), height=TALL, equal=from_above, single=True)


def _joined(
    futures: Sequence[RunResult], name: str, columns: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Return two columns of all paths as one line, with NaN between the paths."""
    gap = np.full((1, 2), np.nan)
    parts = [part for future in futures for part in (future.paths[name][:, columns], gap)]
    whole = np.concatenate([gap, *parts])
    return whole[:, 0], whole[:, 1]


COLUMNS = ("line", "x", "y", "z", "succeeds")


def playing_future(forecast: Forecast) -> PlayerWithFilms | None:
    """Return the first future whose log is kept, ready to be played on a page; None if none is kept.

    Raises:
        BadInput: if its log cannot be read.
    """
    future = next((future for future in forecast.finished if future.folder), None)
    if future is None or future.folder is None:
        return None
    folder = Path(future.folder)

    def film() -> Film:
        film = film_with_layers(Episode.open(folder))
        return replace(film, layers=(*film.layers, fan_layer(forecast)))

    return playing_film(film)


def fan_layer(forecast: Forecast) -> Layer:
    """Return the paths of all moving objects, (n, 5): line, x, y, z in the world [m], whether the future succeeds."""
    shown = forecast.finished[:MOST_PATHS]
    paths = [(future, path[:, 1:]) for future in shown for path in future.paths.values()]
    rows = [_rows(line, future, path) for line, (future, path) in enumerate(paths)]
    whole = np.concatenate([np.empty((0, len(COLUMNS))), *rows])
    return Layer.of("futures", COLUMNS, [(0.0, whole)])


def _rows(line: int, future: RunResult, path: Floats) -> Floats:
    number, succeeds = (np.full(len(path), float(value)) for value in (line, future.succeeded))
    return np.column_stack((number, path, succeeds))
