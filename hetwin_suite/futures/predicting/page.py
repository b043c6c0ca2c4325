"""The page of a forecast: how likely what is, what parts the futures, and where things go in them."""

from __future__ import annotations

from html import escape
from pathlib import Path

from hetwin_core.ensemble.writing import write_atomically
from hetwin_core.episodes.run_folder import FORECAST
from hetwin_suite.futures.predicting.forecast import Forecast
from hetwin_suite.futures.predicting.plots import fan, moved, over_time
from hetwin_suite.futures.predicting.scene import playing_future
from hetwin_suite.view.report.document import Document, card, folded
from hetwin_suite.view.report.playing import Playing
from hetwin_suite.view.report.sections import table

MOST_OBJECTS = 3
_FOOTER = "Written by hetwin predict."


def write_page(forecast: Forecast, out: Path, scenario: str) -> Path:
    """Write the page into the folder of the futures.

    Args:
        forecast: what they say.
        out: the folder.
        scenario: its name, with the variant.
    """
    document = Document()
    end = forecast.end_s
    played = playing_future(forecast)
    head = f"{escape(scenario)} from {forecast.at_s:.2f} s to {end:.2f} s"
    body = "".join(
        [
            f"<header><h1>hetwin: {head}, {len(forecast.finished)} futures</h1></header>",
            _success(forecast),
            _scene(played),
            _truths(forecast),
            _parted(document, forecast),
            _fans(document, forecast),
            _broken(forecast),
        ]
    )
    path = out / FORECAST
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(path, document.html(scenario, body, _FOOTER, played.data if played else ""))
    return path


def _scene(played: Playing | None) -> str:
    if played is None:
        return ""
    how = (
        "The first future plays; the lines are where things go in all, green in those that succeed."
    )
    return card("In the scene", how, played.place)


def _success(forecast: Forecast) -> str:
    if not forecast.outcomes:
        return card("Success", "", "The scenario names no <code>outcomes</code>.")
    told = "".join(f"<p>{escape(sentence)}</p>" for sentence in forecast.verdict)
    if not forecast.failures:
        return card("Success", "", told)
    rows = [
        [escape(one.cause), f"{one.share:.0%}", ", ".join(map(str, one.futures[:12]))]
        for one in forecast.failures
    ]
    how = "The first event at which the futures that fail part from those that succeed."
    return card("Success", how, told + table(["why it fails", "share", "futures"], rows))


def _truths(forecast: Forecast) -> str:
    rows = [
        [escape(name), f"<b>{found.p:.0%}</b>", f"{found.low:.0%} to {found.high:.0%}"]
        for name, found in forecast.predicates.items()
    ]
    how = "What holds when the futures end; the interval is that of Wilson at 95 %."
    return card("At the end", how, table(["truth", "probability", "interval"], rows))


def _parted(document: Document, forecast: Forecast) -> str:
    shown = over_time(forecast)
    rows = [
        [
            escape(event.name),
            f"{event.median_s:.2f} s",
            f"{event.low_s:.2f} to {event.high_s:.2f} s",
            f"{event.share:.0%}",
        ]
        for event in forecast.events
    ]
    every = folded(f"all {len(rows)}", table(["event", "median", "5 to 95 %", "futures"], rows))
    strengths = [[escape(name), f"{strength:.2f}"] for name, strength in forecast.related]
    goes = table(["draw that goes with failure", "strength"], strengths) if strengths else ""
    how = (
        "The share of futures in which an event has happened; those first that happen in some only."
    )
    plot = "" if shown is None else document.plot(shown)
    return card("What parts the futures", how, plot + goes + every)


def _fans(document: Document, forecast: Forecast) -> str:
    return "".join(
        card(
            f"Where {escape(name)} goes",
            "From above, and its height.",
            document.plot(fan(forecast, name, from_above=True))
            + document.plot(fan(forecast, name, from_above=False)),
        )
        for name in moved(forecast)[:MOST_OBJECTS]
    )


def _broken(forecast: Forecast) -> str:
    if not forecast.failed:
        return ""
    rows = [[str(one.index), escape(one.error or "")] for one in forecast.failed]
    how = "These count neither as successes nor as failures."
    return card("Futures that broke down", how, table(["future", "why"], rows))
