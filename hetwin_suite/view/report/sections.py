"""Sections of a run's page: its events, and the data to repeat it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.limits import read_json
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.ensemble.words import arguments_words, event_words, is_routine_touch, seconds
from hetwin_core.episodes.episode import Episode, Note
from hetwin_core.episodes.run_folder import EXPLANATION
from hetwin_suite.view.content import (
    Chip,
    Code,
    Content,
    Facts,
    Fold,
    Heading,
    Inline,
    Items,
    Paragraph,
    Quiet,
    Section,
    Strong,
    Table,
    Time,
    listed,
)
from hetwin_suite.view.figures import Axis, Chart, Line, Panel
from hetwin_suite.view.palette import MAIN, SERIES, model_colours
from hetwin_suite.view.report.story.events import details, is_handling, is_own, own_words

_MOST_NAMED = 3
_HOLDS = {True: "holds", False: "does not hold", None: "not known"}
_TONES = {True: "good", False: "bad", None: "unseen"}


def coverage_table(episode: Episode) -> Content:
    """Return a folded table: claim, subject, whether it holds, sources, times, or why it was not checked."""
    rows: Sequence[Mapping[str, Any]] = episode.summary.get("coverage") or ()
    if not rows:
        return ()
    missed = sum(not row["checked"] for row in rows)
    title = f"What was checked: {len(rows) - missed} of {len(rows)} claims"
    return Fold(title, Table(["claim", "of", "", "from", "when"], [_row(row) for row in rows]))


def _row(row: Mapping[str, Any]) -> list[Inline]:
    holds = row["holds"] if row["checked"] else None
    spans: list[Inline] = []
    for begun, ended in row["spans"]:
        spans += [", "] if spans else []
        spans += [Time(round(begun * 1e9)), " to ", Time(round(ended * 1e9))]
    said = ", ".join(map(str, row["from"])) if row["checked"] else f"not checked: {row['why']}"
    if row["checked"] and row["why"]:
        said += f"; {row['why']}"
    about = (str(row["subject"]), _of(row["of"]))
    return [str(row["claim"]), about, Quiet(_HOLDS[holds], _TONES[holds]), said, tuple(spans)]


def _of(names: Sequence[str]) -> Inline:
    """The first links or joints that it is about, and how many others."""
    return (" ", Quiet(f"({some(names, _MOST_NAMED)})")) if names else ""


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


_SHOWN_ROWS = 24
_MOST_ROWS = 400
_REPEATED, _FLOOD = 4, 8
_MOST_LISTED = 60


def about(episode: Episode) -> list[Content]:
    """Data to repeat the run: key figures, models, warnings."""
    said = warnings(episode)
    tones = ["errors" if level == "error" else "" for level, _ in said]
    texts = Items([text for _, text in said], "warnings", tones)
    warned = [Heading("Warnings", [texts])] if said else []
    return [Facts(_facts(episode)), *warned, Heading("Models", [models_table(episode)])]


def models_table(episode: Episode) -> Table:
    """The models of the run."""
    colours = model_colours(episode.models)
    pids = {p.get("model"): p.get("pid") for p in episode.summary.get("processes") or ()}
    rows: list[list[Inline]] = [
        [
            (chip(model.name, colours), " (main)" if model.main else ""),
            model.type,
            f"{model.stepping}, {model.coupling}" if not model.main else "main",
            f"{model.rate:g}",
            f"{model.host} · {pids.get(model.name, model.pid)}",
        ]
        for model in episode.models
    ]
    headings = ["model", "type", "stepped by", "per second", "host and process"]
    return Table(headings, rows, 3)


def warnings(episode: Episode) -> list[tuple[str, str]]:
    """Level and text of warnings and errors, each once."""
    notes = [(note.level, _with_source(note)) for note in episode.notes]
    notes += [("warning", text) for text in episode.summary.get("warnings") or ()]
    return list(dict.fromkeys(note for note in notes if note[0] != "info"))


def happenings_table(episode: Episode) -> list[Content]:
    """Events and handovers, in the order of their times; those that repeat come once, with their number."""
    colours = model_colours(episode.models)
    events = (event for event in episode.events if not is_routine_touch(event))
    items: list[Event | Handover] = [*events, *episode.handovers]
    items.sort(key=lambda item: item.time_ns)
    rows = [_happening(episode, run, colours) for run in _runs(episode, items)]
    if not rows:
        return [Paragraph("Nothing happened.", "note")]
    left = len(rows) - _MOST_ROWS
    rest = [Paragraph(f"And {left} more, which are in the log.", "note")] if left > 0 else []
    headings = ["time", "what", "by", "details"]
    return [*listed(headings, rows[:_MOST_ROWS], _SHOWN_ROWS, number=0), *rest]


def _runs(episode: Episode, items: list[Event | Handover]) -> list[list[Event | Handover]]:
    """Each item by itself, but repetitions where they first happened; first those with the same words, then floods."""
    runs = _grouped([[item] for item in items], lambda item: _words(episode, item), _REPEATED)
    return _grouped(runs, _kind, _FLOOD)


def _grouped(
    runs: list[list[Event | Handover]],
    alike: Callable[[Event | Handover], object],
    most: int,
) -> list[list[Event | Handover]]:
    """Join the runs that are alike if they are more than `most`; in the order of their first items."""
    found: dict[object, list[list[Event | Handover]]] = {}
    for i, run in enumerate(runs):
        key = alike(run[0])
        found.setdefault(i if key is None else key, []).append(run)
    grouped = []
    for same in found.values():
        grouped += same if len(same) <= most else [[item for run in same for item in run]]
    return sorted(grouped, key=lambda run: run[0].time_ns)


def _words(episode: Episode, item: Event | Handover) -> object:
    """The words that models repeat; None for anything else."""
    if isinstance(item, Event) and is_own(episode, item):
        return item.source, own_words(episode, item)
    return None


def _kind(item: Event | Handover) -> object:
    """Floods: one event of a model about many things, and one handover of many."""
    if isinstance(item, Handover):
        return item.attribute, item.from_model, item.to_model, item.cause
    if item.kind is EventKind.MODEL and not is_handling(item):
        return item.source, item.name
    return None


def chip(model: str, colours: Mapping[str, str]) -> Chip:
    """A model's name with its colour."""
    return Chip(model, colours.get(model, MAIN))


def _facts(episode: Episode) -> list[tuple[str, Inline, bool]]:
    summary, known = episode.summary, episode.description
    facts: list[tuple[str, Inline, bool]] = [("simulated", seconds(episode.end_ns), False)]
    if summary:
        wall = summary.get("wall_time")
        facts += [
            ("took", f"{wall:.2f} s" if isinstance(wall, int | float) else "unknown", False),
            ("real-time factor", _factor(summary.get("real_time_factor")), False),
            ("transport", str(summary.get("transport", "unknown")), False),
        ]
    facts += [
        ("events, handovers", f"{len(episode.events)}, {len(episode.handovers)}", False),
        ("steps per second, seed", f"{_rate(known)}, {known.get('seed', '?')}", False),
    ]
    if known.get("source"):
        facts.append(("source", Code(known["source"]), True))
    if known.get("scenario_file"):
        facts.append(("scenario file", Code(known["scenario_file"]), True))
    counters = {k: v for k, v in (summary.get("counters") or {}).items() if v}
    if counters:
        facts.append(("counted", arguments_words(counters), True))
    if summary:
        sure = "" if summary.get("deterministic") else " (not deterministic: it claims nothing)"
        facts.append(("digest", (Code(str(summary.get("digest") or "none")), sure), True))
    return facts


def _rate(known: Mapping[str, str]) -> str:
    try:
        return f"{float(known['rate']):g}"
    except (KeyError, ValueError):
        return "?"


def _factor(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, int | float) else "unknown"


def _happening(
    episode: Episode, run: list[Event | Handover], colours: Mapping[str, str]
) -> list[Inline]:
    item = run[0]
    what, by = _what(episode, item, colours)
    if len(run) == 1:
        more = item.cause if isinstance(item, Handover) else details(item.arguments)
        return [_time(item), what, by, more]
    often = f"{len(run)} times until {seconds(run[-1].time_ns, 3)}"
    if all(_what(episode, other, colours)[0] == what for other in run):
        return [_time(item), what, by, often]
    rest = run[1 : _MOST_LISTED + 1]
    rows = [[_time(one), _what(episode, one, colours)[0]] for one in rest]
    left = len(run) - 1 - len(rest)
    note = [Paragraph(f"And {left} more.", "note")] if left else []
    return [_time(item), what, by, Fold(often, [Table(["time", "what"], rows), *note])]


def _time(item: Event | Handover) -> Time:
    return Time(item.time_ns, 3)


def _what(
    episode: Episode, item: Event | Handover, colours: Mapping[str, str]
) -> tuple[Inline, str]:
    """Events, and their sources."""
    if isinstance(item, Handover):
        moved = chip(item.from_model, colours), " → ", chip(item.to_model, colours)
        return (f"{item.entity} {item.attribute}: ", *moved), "handover"
    own = is_own(episode, item)
    words = own_words(episode, item) if own else event_words(item)
    return Strong(words) if own or is_handling(item) else words, item.source


def _with_source(note: Note) -> str:
    """A note with its source, unless the text names it already."""
    named = note.text.startswith(f"{note.source}: ")
    return note.text if named else f"{note.source}: {note.text}"
