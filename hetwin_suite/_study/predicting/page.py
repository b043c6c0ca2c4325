"""The page of a forecast: how likely what is, what parts the futures, and where things go in them."""

from __future__ import annotations

from hetwin_suite._study.predicting.forecast import Forecast
from hetwin_suite._study.predicting.plots import fan, moved, over_time
from hetwin_suite._study.predicting.scene import playing_future
from hetwin_suite.view.content import Code, Fold, Inline, Paragraph, Section, Strong, Table
from hetwin_suite.view.document import Document

MOST_OBJECTS = 3
_HOW = "The first future plays; the lines are where things go in all, green in those that succeed."


def forecast_page(forecast: Forecast, scenario: str) -> str:
    """Return the page.

    Args:
        forecast: what the futures say.
        scenario: its name, with the variant.
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
    told = [Paragraph(sentence) for sentence in forecast.verdict]
    if not forecast.failures:
        return Section("Success", content=told)
    rows = [
        [one.cause, f"{one.share:.0%}", ", ".join(map(str, one.futures[:12]))]
        for one in forecast.failures
    ]
    how = "The first event at which the futures that fail part from those that succeed."
    return Section("Success", how, [*told, Table(["why it fails", "share", "futures"], rows)])


def _truths(forecast: Forecast) -> Section:
    rows: list[list[Inline]] = [
        [name, Strong(f"{found.p:.0%}"), f"{found.low:.0%} to {found.high:.0%}"]
        for name, found in forecast.predicates.items()
    ]
    how = "What holds when the futures end; the interval is that of Wilson at 95 %."
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
    how = (
        "The share of futures in which an event has happened; those first that happen in some only."
    )
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
    rows = [[str(one.index), one.error or ""] for one in forecast.failed]
    how = "These count neither as successes nor as failures."
    return [Section("Futures that broke down", how, Table(["future", "why"], rows))]
