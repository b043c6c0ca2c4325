"""The page of two runs side by side, and of their differences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from hetwin_compare.compare import compare_runs
from hetwin_compare.comparison import Comparison, Parting, What
from hetwin_suite.episode import Episode, folder_of
from hetwin_suite.page import (
    Content,
    Film,
    Inline,
    Items,
    MarkedTime,
    Paragraph,
    Quiet,
    Section,
    Table,
    Time,
    film_with_layers,
    listed,
    side_by_side,
)

_TIMED = re.compile(r"(\d+\.\d+) s: ")
_SETTINGS = (What.SEED, What.ENGINE, What.RATE)
_MOST_GIVEN = 6
_MOST_LETTERS = 80
_WORDS = {
    "state": "bodies move differently",
    "occasion": "something holds in one run alone",
    "event": "an event differs",
    "task": "a task differs",
    "belief": "a belief differs",
}


def compared_page(run: Path, other: Path) -> str:
    """Compare two runs, and return the page.

    Raises:
        BadInput: if a run cannot be read or is not over, or the runs do not overlap in time.
    """
    return comparison_page(compare_runs(run, other), run, other)


def comparison_page(found: Comparison, run: Path, other: Path) -> str:
    """Return the page of a comparison as self-contained HTML.

    Args:
        found: the comparison.
        run: folder of the first run.
        other: folder of the other run.
    """
    names = _names(folder_of(run), folder_of(other))
    films = _films(Episode.open(folder_of(run)), Episode.open(folder_of(other)))
    moments = _moments(found)
    return side_by_side(
        title=f"{names[0]} and {names[1]}",
        heading=f"{names[0]} (here) and {names[1]} (there)",
        tone="warned" if found.chain or moments else "good",
        said=[_settings(found), *_headline(found, moments)],
        films=films,
        names=[f"{names[0]} (here)", f"{names[1]} (there)"],
        moments=moments,
        more=list(filter(None, (_given(found), _chain(found), _objects(found), _handovers(found)))),
    )


def _names(run: Path, other: Path) -> tuple[str, str]:
    """Return the shortest paths that distinguish the folders of the runs."""
    one, two = run.absolute().parts, other.absolute().parts
    for length in range(1, min(len(one), len(two)) + 1):
        if one[-length:] != two[-length:]:
            return "/".join(one[-length:]), "/".join(two[-length:])
    return run.name, other.name


def _films(here: Episode, there: Episode) -> list[Film]:
    """Return both films with the union of their times, so that each is drawn with its own states."""
    one = film_with_layers(here)
    other = film_with_layers(there, _ns(one))
    return [film_with_layers(here, _ns(other)), other]


def _ns(film: Film) -> list[int]:
    times: list[int] = np.rint(film.times * 1e9).astype(np.int64).tolist()
    return times


def _moments(found: Comparison) -> list[MarkedTime]:
    """Return the moments at which the runs differ, in order."""
    parts: dict[str, Parting | None] = {name: getattr(found.divergence, name) for name in _WORDS}
    moments = [
        MarkedTime(part.time_ns, f"{_WORDS[name]}: {', '.join(part.entities)}")
        for name, part in parts.items()
        if part is not None
    ]
    for rows, where in ((found.only_here, "here"), (found.only_there, "there")):
        if rows:
            time_ns = min(_time_ns(row["time"]) for row in rows)
            moments.append(MarkedTime(time_ns, f"a handover {where} alone"))
    return sorted(moments)


def _time_ns(time: object) -> int:
    assert isinstance(time, int | float)  # as in the summary
    return round(time * 1e9)


def _settings(found: Comparison) -> Content:
    """Return the differences of seed, engine and rate, which are listed first."""
    said = [
        (f"{item.name} ", _said(item.here), " here, ", _said(item.there), " there")
        for item in found.given
        if item.what in _SETTINGS
    ]
    if not said:
        return ()
    further = (part for one in said[1:] for part in ("; ", *one))
    return Paragraph(("Given differently: ", *said[0], *further, "."), "settings")


def _headline(found: Comparison, moments: Sequence[MarkedTime]) -> list[Content]:
    if not (found.chain or moments):
        return [Paragraph("No difference", "how")]
    state = found.divergence.state
    if not moments:
        return [Paragraph("Given differently, and nothing comes of it", "how")]
    words: Inline = ("They part at ", _go_to(moments[0].time_ns), f": {moments[0].words}")
    if state is not None:
        words = f"{state.entities[0]} moves differently from ", _go_to(state.time_ns), " on"
    return [Paragraph(words, "how")]


def _go_to(time_ns: int) -> Time:
    return Time(time_ns, is_button=True)


def _given(found: Comparison) -> Section | None:
    if not found.given:
        return None
    rows = [
        [item.what.value, item.name, _said(item.here), _said(item.there)] for item in found.given
    ]
    headings = ["what", "name", "here", "there"]
    content = listed(headings, rows, _MOST_GIVEN)
    return Section("Given differently", content=content, kind="given")


def _said(value: object) -> Inline:
    if value is None:
        return Quiet("nothing")
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…"


def _chain(found: Comparison) -> Section | None:
    if not found.chain:
        return None
    items = Items([_linked(words) for words in found.chain], "happened")
    return Section("What came of it", content=items)


def _linked(words: str) -> Inline:
    """Return a sentence of the chain, with a button for the time at its start."""
    timed = _TIMED.match(words)
    if timed is None:
        return words
    return _go_to(round(float(timed[1]) * 1e9)), f" {words[timed.end() :]}"


def _objects(found: Comparison) -> Section | None:
    rows: list[list[Inline]] = [
        [name, _go_to(apart.first_ns), f"{apart.most:.3f} m", f"{apart.end:.3f} m"]
        for name, apart in found.objects.items()
        if apart.first_ns is not None
    ]
    if not rows:
        return None
    content = Table(["object", "is off from", "at most", "at the end"], rows)
    return Section("How far apart objects are", content=content)


def _handovers(found: Comparison) -> Section | None:
    rows = [*_handover_rows(found, "here"), *_handover_rows(found, "there")]
    if not rows:
        return None
    content = Table(["only", "time", "attribute", "from", "to", "cause"], rows)
    return Section("Handovers that one run alone has", content=content)


def _handover_rows(found: Comparison, where: str) -> Iterator[list[Inline]]:
    for row in found.only_here if where == "here" else found.only_there:
        yield [
            where,
            _go_to(_time_ns(row["time"])),
            f"{row['entity']}.{row['attribute']}",
            *(str(row[key]) for key in ("from", "to", "cause")),
        ]
