"""Sections of a run's page: coverage, explanation, events, and the data to repeat the run."""

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

_MAX_NAMED = 3
_HOLDS = {True: "holds", False: "does not hold", None: "not known"}
_TONES = {True: "good", False: "bad", None: "unseen"}


def coverage_table(episode: Episode) -> Content:
    """Return a folded table of the claims: subject, whether it holds, sources and times, or why it was not checked."""
    rows: Sequence[Mapping[str, Any]] = episode.summary.get("coverage") or ()
    if not rows:
        return ()
    missed = sum(not row["checked"] for row in rows)
    title = f"What was checked: {len(rows) - missed} of {len(rows)} claims"
    return Fold(title, Table(["claim", "of", "", "from", "when"], [_row(row) for row in rows]))


def _row(row: Mapping[str, Any]) -> list[Inline]:
    holds = row["holds"] if row["checked"] else None
    spans: list[Inline] = []
    for begin, end in row["spans"]:
        spans += [", "] if spans else []
        spans += [Time(round(begin * 1e9)), " to ", Time(round(end * 1e9))]
    source = ", ".join(map(str, row["from"])) if row["checked"] else f"not checked: {row['why']}"
    if row["checked"] and row["why"]:
        source += f"; {row['why']}"
    about = (str(row["subject"]), _parts(row["of"]))
    return [str(row["claim"]), about, Quiet(_HOLDS[holds], _TONES[holds]), source, tuple(spans)]


def _parts(names: Sequence[str]) -> Inline:
    """Return the first links or joints of a claim, and the number of others."""
    return (" ", Quiet(f"({some(names, _MAX_NAMED)})")) if names else ""


MAX_OBJECTS = 2
_HEIGHT = 380
_HOW = "The smallest change with which at least nine of ten futures of this run succeed."


def explanation_section(episode: Episode) -> Section | None:
    """Return the section of a run's explanation; None if there is no readable one."""
    try:
        found = read_json(episode.run / EXPLANATION)
        text, paths = str(found["text"]), found["paths"]
        plots = [_plot(episode, name, paths[name]) for name in list(paths)[:MAX_OBJECTS]]
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None
    return Section("What would have had to be different", _HOW, [Paragraph(text), plots])


def _plot(episode: Episode, name: str, paths: Sequence[Any]) -> Content:
    """Return a plot of an object's path in the xy plane, in the run and in the futures that succeed."""
    offset = episode.layout.range_of(name, POSE.name).start
    own = episode.values[:, offset : offset + 2]
    lines = [Line("in this run", own[:, 0], own[:, 1], SERIES[0], unit="m")]
    for path in paths:
        rows = np.asarray(path, np.float64)
        lines.append(
            Line("with the change", rows[:, 1], rows[:, 2], SERIES[2], unit="m", opacity=0.6)
        )
    panel = Panel(lines, Axis("y [m]"))
    drawn = Chart([panel], x=Axis("x [m]"), height=_HEIGHT, equal=True, single=True)
    return [Paragraph(f"{name} from above:"), drawn]


_SHOWN_ROWS = 24
_MAX_ROWS = 400
_REPEATED, _FLOOD = 4, 8
"""Maximum numbers of rows with the same words, and of the same kind, that are not merged."""
_MAX_LISTED = 60


def about(episode: Episode) -> list[Content]:
    """Return key figures, warnings and models of the run."""
    found = warnings(episode)
    tones = ["errors" if level == "error" else "" for level, _ in found]
    texts = Items([text for _, text in found], "warnings", tones)
    warned = [Heading("Warnings", [texts])] if found else []
    return [Facts(_facts(episode)), *warned, Heading("Models", [models_table(episode)])]


def models_table(episode: Episode) -> Table:
    """Return a table of the run's models."""
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
    """Return level and text of warnings and errors, without duplicates."""
    notes = [(note.level, _with_source(note)) for note in episode.notes]
    notes += [("warning", text) for text in episode.summary.get("warnings") or ()]
    return list(dict.fromkeys(note for note in notes if note[0] != "info"))


def happenings_table(episode: Episode) -> list[Content]:
    """Return a table of events and handovers by time; repetitions share one row with their number."""
    colours = model_colours(episode.models)
    events = (event for event in episode.events if not is_routine_touch(event))
    items: list[Event | Handover] = [*events, *episode.handovers]
    items.sort(key=lambda item: item.time_ns)
    rows = [_happening(episode, group, colours) for group in _groups(episode, items)]
    if not rows:
        return [Paragraph("Nothing happened.", "note")]
    omitted = len(rows) - _MAX_ROWS
    note = [Paragraph(f"And {omitted} more, which are in the log.", "note")] if omitted > 0 else []
    headings = ["time", "what", "by", "details"]
    return [*listed(headings, rows[:_MAX_ROWS], _SHOWN_ROWS, number=0), *note]


def _groups(episode: Episode, items: list[Event | Handover]) -> list[list[Event | Handover]]:
    """Group repeated items, first those with the same words, then those of the same kind; other items are alone."""
    groups = _merged([[item] for item in items], lambda item: _words(episode, item), _REPEATED)
    return _merged(groups, _kind, _FLOOD)


def _merged(
    groups: list[list[Event | Handover]],
    key_of: Callable[[Event | Handover], object],
    most: int,
) -> list[list[Event | Handover]]:
    """Merge groups with the same key if there are more than `most`; sorted by their first items.

    Args:
        groups: the groups.
        key_of: key of a group's first item; None: the group is not merged.
        most: maximum number of groups that remain separate.
    """
    found: dict[object, list[list[Event | Handover]]] = {}
    for i, group in enumerate(groups):
        key = key_of(group[0])
        found.setdefault(i if key is None else key, []).append(group)
    merged = []
    for same in found.values():
        merged += same if len(same) <= most else [[item for group in same for item in group]]
    return sorted(merged, key=lambda group: group[0].time_ns)


def _words(episode: Episode, item: Event | Handover) -> object:
    """Return source and words of a model's event; None for anything else."""
    if isinstance(item, Event) and is_own(episode, item):
        return item.source, own_words(episode, item)
    return None


def _kind(item: Event | Handover) -> object:
    """Return the kind of an item, regardless of the entity concerned; None for handling, which is never merged."""
    if isinstance(item, Handover):
        return item.attribute, item.from_model, item.to_model, item.cause
    if item.kind is EventKind.MODEL and not is_handling(item):
        return item.source, item.name
    return None


def chip(model: str, colours: Mapping[str, str]) -> Chip:
    """Return a model's name with its colour."""
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
        caveat = (
            ""
            if summary.get("deterministic")
            else " (not deterministic: the same input may give another one)"
        )
        facts.append(("digest", (Code(str(summary.get("digest") or "none")), caveat), True))
    return facts


def _rate(known: Mapping[str, str]) -> str:
    try:
        return f"{float(known['rate']):g}"
    except (KeyError, ValueError):
        return "?"


def _factor(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, int | float) else "unknown"


def _happening(
    episode: Episode, group: list[Event | Handover], colours: Mapping[str, str]
) -> list[Inline]:
    item = group[0]
    what, by = _what(episode, item, colours)
    if len(group) == 1:
        more = item.cause if isinstance(item, Handover) else details(item.arguments)
        return [_time(item), what, by, more]
    count_text = f"{len(group)} times until {seconds(group[-1].time_ns, 3)}"
    if all(_what(episode, other, colours)[0] == what for other in group):
        return [_time(item), what, by, count_text]
    others = group[1 : _MAX_LISTED + 1]
    rows = [[_time(other), _what(episode, other, colours)[0]] for other in others]
    omitted = len(group) - 1 - len(others)
    note = [Paragraph(f"And {omitted} more.", "note")] if omitted else []
    return [_time(item), what, by, Fold(count_text, [Table(["time", "what"], rows), *note])]


def _time(item: Event | Handover) -> Time:
    return Time(item.time_ns, 3)


def _what(
    episode: Episode, item: Event | Handover, colours: Mapping[str, str]
) -> tuple[Inline, str]:
    """Return description and source of an event or handover."""
    if isinstance(item, Handover):
        moved = chip(item.from_model, colours), " → ", chip(item.to_model, colours)
        return (f"{item.entity} {item.attribute}: ", *moved), "handover"
    own = is_own(episode, item)
    words = own_words(episode, item) if own else event_words(item)
    return Strong(words) if own or is_handling(item) else words, item.source


def _with_source(note: Note) -> str:
    """Return the text of a note, preceded by its source unless the text already begins with it."""
    named = note.text.startswith(f"{note.source}: ")
    return note.text if named else f"{note.source}: {note.text}"
