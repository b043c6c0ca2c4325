"""The page of two runs side by side, and of what differs between them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.writing import write_text
from hetwin_core.episodes.comparing.compare import compare_runs
from hetwin_core.episodes.comparing.comparison import Comparison, Parting, What
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.run_folder import folder_of
from hetwin_suite.view.film.film import Film
from hetwin_suite.view.report.document import folded
from hetwin_suite.view.report.sections import table
from hetwin_suite.view.show.filmed import filmed
from hetwin_suite.view.show.frame import go_to, player, whole

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


class _Moment(NamedTuple):
    time_ns: int
    words: str


def write_comparison(found: Comparison, run: Path, other: Path, out: Path) -> Path:
    """Write the page of a comparison.

    Args:
        found: what differs.
        run: folder of the first run.
        other: that of the other.
        out: the file.

    Raises:
        BadInput: if the runs cannot be drawn, or the file cannot be written.
    """
    write_text(out, comparison_page(found, run, other), "the page")
    return out


def compared_page(run: Path, other: Path) -> str:
    """Return the page of two runs that are yet to be compared.

    Raises:
        BadInput: if one of them cannot be read, is not over, or they have no time in common.
    """
    return comparison_page(compare_runs(run, other), run, other)


def comparison_page(found: Comparison, run: Path, other: Path) -> str:
    """Return the page: one HTML file that loads nothing.

    Args:
        found: what differs.
        run: folder of the first run.
        other: that of the other.
    """
    names = _names(folder_of(run), folder_of(other))
    films = _films(Episode.open(folder_of(run)), Episode.open(folder_of(other)))
    moments = _moments(found)
    body = (
        f"<header><h1>{escape(names[0])} (here) and {escape(names[1])} (there)</h1></header>"
        f'<section class="card look {"warned" if found.chain or moments else "good"}">'
        f"{_settings(found)}{_headline(found, moments)}{player(films)}</section>"
        f"{_given(found)}{_chain(found)}{_objects(found)}{_handovers(found)}"
    )
    told: dict[str, object] = {
        "names": [f"{names[0]} (here)", f"{names[1]} (there)"],
        "first": [{"time": at.time_ns / 1e9, "text": at.words} for at in moments],
    }
    return whole(f"{names[0]} and {names[1]}", body, films, told)


def _names(run: Path, other: Path) -> tuple[str, str]:
    """Return what the runs are called: their folders, with as much before them as tells them apart."""
    one, two = run.absolute().parts, other.absolute().parts
    for length in range(1, min(len(one), len(two)) + 1):
        if one[-length:] != two[-length:]:
            return "/".join(one[-length:]), "/".join(two[-length:])
    return run.name, other.name


def _films(here: Episode, there: Episode) -> list[Film]:
    """Return both films, with the states of each at the times of the other, so that either is drawn as it was."""
    one = filmed(here)
    other = filmed(there, _ns(one))
    return [filmed(here, _ns(other)), other]


def _ns(film: Film) -> list[int]:
    times: list[int] = np.rint(film.times * 1e9).astype(np.int64).tolist()
    return times


def _moments(found: Comparison) -> list[_Moment]:
    """Return where the runs part, in order."""
    parts: dict[str, Parting | None] = {name: getattr(found.divergence, name) for name in _WORDS}
    moments = [
        _Moment(part.time_ns, f"{_WORDS[name]}: {', '.join(part.entities)}")
        for name, part in parts.items()
        if part is not None
    ]
    for rows, where in ((found.only_here, "here"), (found.only_there, "there")):
        if rows:
            time_ns = min(_time_ns(row["time"]) for row in rows)
            moments.append(_Moment(time_ns, f"a handover {where} alone"))
    return sorted(moments)


def _time_ns(time: object) -> int:
    assert isinstance(time, int | float)  # as the summary has it
    return round(time * 1e9)


def _settings(found: Comparison) -> str:
    """Return what differs of seed, engine and rate, which is said before all else."""
    said = [
        f"{escape(item.name)} {_said(item.here)} here, {_said(item.there)} there"
        for item in found.given
        if item.what in _SETTINGS
    ]
    return f'<p class="settings">Given differently: {"; ".join(said)}.</p>' if said else ""


def _headline(found: Comparison, moments: Sequence[_Moment]) -> str:
    if not (found.chain or moments):
        return '<p class="how">No difference</p>'
    state = found.divergence.state
    if not moments:
        return '<p class="how">Given differently, and nothing comes of it</p>'
    if state is None:
        words = f"They part at {go_to(moments[0].time_ns)}: {escape(moments[0].words)}"
    else:
        who = escape(state.entities[0])
        words = f"{who} moves differently from {go_to(state.time_ns)} on"
    first = " ".join(go_to(at.time_ns, f"{at.time_ns / 1e9:.2f} s: {at.words}") for at in moments)
    return f'<p class="how">{words}</p><p class="first-differences">First differences: {first}</p>'


def _given(found: Comparison) -> str:
    if not found.given:
        return ""
    rows = [
        [escape(item.what.value), escape(item.name), _said(item.here), _said(item.there)]
        for item in found.given
    ]
    headings = ["what", "name", "here", "there"]
    listed, rest = table(headings, rows[:_MOST_GIVEN]), rows[_MOST_GIVEN:]
    if rest:
        listed += folded(f"{len(rest)} more", table(headings, rest))
    return f'<section class="card given"><h2>Given differently</h2>{listed}</section>'


def _said(value: object) -> str:
    if value is None:
        return '<span class="note">nothing</span>'
    text = value if isinstance(value, str) else json.dumps(value)
    return escape(text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…")


def _chain(found: Comparison) -> str:
    items = "".join(f"<li>{words}</li>" for words in map(_linked, found.chain))
    if not items:
        return ""
    return (
        f'<section class="card"><h2>What came of it</h2><ul class="happened">{items}</ul></section>'
    )


def _linked(words: str) -> str:
    """Return a sentence of the chain, the time before it as a button."""
    timed = _TIMED.match(words)
    if timed is None:
        return escape(words)
    return f"{go_to(round(float(timed[1]) * 1e9))} {escape(words[timed.end() :])}"


def _objects(found: Comparison) -> str:
    rows = [
        [escape(name), go_to(apart.first_ns), f"{apart.most:.3f} m", f"{apart.end:.3f} m"]
        for name, apart in found.objects.items()
        if apart.first_ns is not None
    ]
    if not rows:
        return ""
    listed = table(["object", "is off from", "at most", "at the end"], rows)
    return f'<section class="card"><h2>How far apart objects are</h2>{listed}</section>'


def _handovers(found: Comparison) -> str:
    rows = [*_handover_rows(found, "here"), *_handover_rows(found, "there")]
    if not rows:
        return ""
    listed = table(["only", "time", "attribute", "from", "to", "cause"], rows)
    return f'<section class="card"><h2>Handovers that one run alone has</h2>{listed}</section>'


def _handover_rows(found: Comparison, where: str) -> Iterator[list[str]]:
    for row in found.only_here if where == "here" else found.only_there:
        yield [
            where,
            go_to(_time_ns(row["time"])),
            escape(f"{row['entity']}.{row['attribute']}"),
            *(escape(str(row[key])) for key in ("from", "to", "cause")),
        ]
