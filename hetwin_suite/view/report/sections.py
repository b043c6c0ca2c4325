"""The page's sections as HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.words import arguments_words, event_words, is_routine_touch, seconds
from hetwin_core.episodes.episode import Episode, Note
from hetwin_suite.view.palette import MAIN, model_colours
from hetwin_suite.view.report.document import folded
from hetwin_suite.view.report.story.events import (
    details,
    is_handling,
    is_own,
    own_words,
)
from hetwin_suite.view.report.time_link import time_link

_SHOWN_ROWS = 24
_MOST_ROWS = 400
_REPEATED, _FLOOD = 4, 8
_MOST_LISTED = 60


def about(episode: Episode) -> str:
    """What a reader needs who wants to repeat the run: key figures, models, warnings."""
    facts = "".join(
        f"<div{' class=wide' if wide else ''}><dt>{escape(name)}</dt><dd>{text}</dd></div>"
        for name, text, wide in _facts(episode)
    )
    models = f"<h3>Models</h3>{models_table(episode)}"
    return f'<dl class="facts">{facts}</dl>{_warning_list(episode)}{models}'


def models_table(episode: Episode) -> str:
    """The models of the run."""
    colours = model_colours(episode.models)
    pids = {p.get("model"): p.get("pid") for p in episode.summary.get("processes") or ()}
    rows = [
        [
            chip(model.name, colours) + (" (main)" if model.main else ""),
            escape(model.type),
            escape(f"{model.stepping}, {model.coupling}" if not model.main else "main"),
            f"{model.rate:g}",
            escape(f"{model.host} · {pids.get(model.name, model.pid)}"),
        ]
        for model in episode.models
    ]
    headings = ["model", "type", "stepped by", "per second", "host and process"]
    return table(headings, rows, number=4)


def warnings(episode: Episode) -> list[tuple[str, str]]:
    """Level and text of warnings and errors, each once."""
    notes = [(note.level, _with_source(note)) for note in episode.notes]
    notes += [("warning", text) for text in episode.summary.get("warnings") or ()]
    return list(dict.fromkeys(note for note in notes if note[0] != "info"))


def _warning_list(episode: Episode) -> str:
    items = "".join(
        f"<li{' class=errors' if level == 'error' else ''}>{escape(text)}</li>"
        for level, text in warnings(episode)
    )
    return f'<h3>Warnings</h3><ul class="warnings">{items}</ul>' if items else ""


def happenings_table(episode: Episode) -> str:
    """Events and handovers, in the order of their times; those that repeat come once, with their number."""
    colours = model_colours(episode.models)
    events = (event for event in episode.events if not is_routine_touch(event))
    items: list[Event | Handover] = [*events, *episode.handovers]
    items.sort(key=lambda item: item.time_ns)
    rows = [_happening(episode, run, colours) for run in _runs(episode, items)]
    if not rows:
        return '<p class="note">Nothing happened.</p>'
    headings = ["time", "what", "by", "details"]
    shown = table(headings, rows[:_SHOWN_ROWS], number=0)
    rest = rows[_SHOWN_ROWS:_MOST_ROWS]
    if rest:
        shown += folded(f"{len(rows) - _SHOWN_ROWS} more", table(headings, rest, number=0))
    left = len(rows) - _MOST_ROWS
    return shown + (
        f'<p class="note">And {left} more, which are in the log.</p>' if left > 0 else ""
    )


def _runs(episode: Episode, items: list[Event | Handover]) -> list[list[Event | Handover]]:
    """Each item by itself, but what repeats, where it first happened; first what has the same words, then floods."""
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
    """What models say again and again in the same words; None for anything else."""
    if isinstance(item, Event) and is_own(episode, item):
        return item.source, own_words(episode, item)
    return None


def _kind(item: Event | Handover) -> object:
    """What comes in floods: one event of a model about many things, and one handover of many."""
    if isinstance(item, Handover):
        return item.attribute, item.from_model, item.to_model, item.cause
    if item.kind is EventKind.MODEL and not is_handling(item):
        return item.source, item.name
    return None


def chip(model: str, colours: Mapping[str, str]) -> str:
    """A model's name with its colour."""
    colour = colours.get(model, MAIN)
    return f'<span class="chip" style="--colour:{colour}">{escape(model)}</span>'


def table(headings: list[str], rows: list[list[str]], number: int | None = None) -> str:
    """A table; cells are HTML already; column `number` is aligned to the right."""

    def cell(tag: str, column: int, text: str) -> str:
        mark = ' class="number"' if column == number else ""
        return f"<{tag}{mark}>{text}</{tag}>"

    top = "".join(cell("th", i, escape(heading)) for i, heading in enumerate(headings))
    body = "".join(
        f"<tr>{''.join(cell('td', i, text) for i, text in enumerate(row))}</tr>" for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _facts(episode: Episode) -> list[tuple[str, str, bool]]:
    summary, known = episode.summary, episode.description
    facts: list[tuple[str, str, bool]] = [("simulated", seconds(episode.end_ns), False)]
    if summary:
        wall = summary.get("wall_time")
        facts += [
            ("took", f"{wall:.2f} s" if isinstance(wall, int | float) else "unknown", False),
            ("real-time factor", _factor(summary.get("real_time_factor")), False),
            ("transport", escape(str(summary.get("transport", "unknown"))), False),
        ]
    facts += [
        ("events, handovers", f"{len(episode.events)}, {len(episode.handovers)}", False),
        ("steps per second, seed", escape(f"{_rate(known)}, {known.get('seed', '?')}"), False),
    ]
    if known.get("source"):
        facts.append(("source", f"<code>{escape(known['source'])}</code>", True))
    if known.get("scenario_file"):
        facts.append(("scenario file", f"<code>{escape(known['scenario_file'])}</code>", True))
    counters = {k: v for k, v in (summary.get("counters") or {}).items() if v}
    if counters:
        facts.append(("counted", escape(arguments_words(counters)), True))
    if summary:
        sure = "" if summary.get("deterministic") else " (not deterministic: it claims nothing)"
        digest = escape(str(summary.get("digest") or "none"))
        facts.append(("digest", f"<code>{digest}</code>{sure}", True))
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
) -> list[str]:
    item = run[0]
    what, by = _what(episode, item, colours)
    if len(run) == 1:
        more = item.cause if isinstance(item, Handover) else details(item.arguments)
        return [_time(item), what, escape(by), escape(more)]
    often = f"{len(run)} times until {seconds(run[-1].time_ns, 3)}"
    same = {_what(episode, other, colours)[0] for other in run}
    if len(same) == 1:
        return [_time(item), what, escape(by), often]
    rest = run[1 : _MOST_LISTED + 1]
    rows = [[_time(one), _what(episode, one, colours)[0]] for one in rest]
    left = len(run) - 1 - len(rest)
    note = f'<p class="note">And {left} more.</p>' if left else ""
    return [_time(item), what, escape(by), folded(often, table(["time", "what"], rows) + note)]


def _time(item: Event | Handover) -> str:
    return time_link(item.time_ns, 3)


def _what(episode: Episode, item: Event | Handover, colours: Mapping[str, str]) -> tuple[str, str]:
    """What happened, as HTML, and who says so."""
    if isinstance(item, Handover):
        moved = f"{chip(item.from_model, colours)} → {chip(item.to_model, colours)}"
        return f"{escape(f'{item.entity} {item.attribute}')}: {moved}", "handover"
    own = is_own(episode, item)
    words = escape(own_words(episode, item) if own else event_words(item))
    return f"<strong>{words}</strong>" if own or is_handling(item) else words, item.source


def _with_source(note: Note) -> str:
    """A note with its source, unless the text names it already."""
    named = note.text.startswith(f"{note.source}: ")
    return note.text if named else f"{note.source}: {note.text}"
