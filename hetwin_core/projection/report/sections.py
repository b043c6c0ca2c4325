"""The page's sections as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.words import arguments_words, event_words, seconds
from hetwin_core.projection.episode import Episode, Note
from hetwin_core.projection.report.palette import MAIN, model_colours
from hetwin_core.projection.report.pictures import Picture
from hetwin_core.projection.report.words import is_handling, story, verdict

_MOST_ROWS = 400


def head(episode: Episode) -> str:
    """Scenario, how the run ended, what happened, and key figures."""
    tone, how = verdict(episode)
    happened_words = story(episode.events) or "No object was handled."
    facts = "".join(
        f"<div{' class=wide' if wide else ''}><dt>{escape(name)}</dt><dd>{text}</dd></div>"
        for name, text, wide in _facts(episode)
    )
    return (
        '<p class="kind">Report of a run of</p>'
        f"<h1>{escape(episode.scenario)}</h1>"
        f'<section class="card verdict {tone}"><p class="how">{escape(how)}</p>'
        f'<p class="story">{escape(happened_words)}</p><dl class="facts">{facts}</dl></section>'
    )


def models_table(episode: Episode) -> str:
    """The models of the run."""
    colours = model_colours(episode.models)
    pids = {p.get("model"): p.get("pid") for p in episode.summary.get("processes") or ()}
    rows = [
        [
            chip(model.name, colours) + (" (main)" if model.main else ""),
            escape(model.type),
            escape(model.kind),
            escape(f"{model.stepping}, {model.coupling}" if not model.main else "main"),
            f"{model.rate:g}",
            escape(f"{model.host} · {pids.get(model.name, model.pid)}"),
        ]
        for model in episode.models
    ]
    headings = ["model", "type", "kind", "stepped by", "per second", "host and process"]
    return table(headings, rows, number=4)


def notes_list(episode: Episode) -> str:
    """Warnings and errors, each once; empty if there were none."""
    notes = [(note.level, _with_source(note)) for note in episode.notes]
    notes += [("warning", text) for text in episode.summary.get("warnings") or ()]
    serious = dict.fromkeys(note for note in notes if note[0] != "info")
    if not serious:
        return ""
    items = "".join(
        f"<li{' class=errors' if level == 'error' else ''}>{escape(text)}</li>"
        for level, text in serious
    )
    return f'<ul class="warnings">{items}</ul>'


def happenings_table(episode: Episode) -> str:
    """Events and handovers, in the order of their times."""
    colours = model_colours(episode.models)
    items: list[Event | Handover] = [*episode.events, *episode.handovers]
    items.sort(key=lambda item: item.time_ns)
    rows = [_happening(item, colours) for item in items[:_MOST_ROWS]]
    if not rows:
        return '<p class="note">Nothing happened.</p>'
    rest = len(items) - len(rows)
    more = f'<p class="note">And {rest} more, which are in the log.</p>' if rest else ""
    return table(["time [s]", "what", "by", "details"], rows, number=0) + more


def state_table(episode: Episode) -> str:
    """Predicates at the end; empty if there are none."""
    state: Mapping[str, Any] = episode.summary.get("state") or {}
    if not state:
        return ""
    rows = [[f"<code>{escape(name)}</code>", escape(_shown(v))] for name, v in state.items()]
    return table(["at the end", "value"], rows)


def gallery(pictures: Iterable[Picture]) -> str:
    """Pictures with their times and what happened."""
    items = []
    for picture in pictures:
        words = "; ".join(picture.what)
        items.append(
            f'<figure><img alt="{escape(words)}" loading="lazy" '
            f'src="data:image/png;base64,{picture.png}">'
            f"<figcaption><b>{seconds(picture.time_ns)}</b>{escape(words)}</figcaption></figure>"
        )
    return f'<div class="gallery">{"".join(items)}</div>'


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


def _happening(item: Event | Handover, colours: Mapping[str, str]) -> list[str]:
    time = f"{item.time_ns / 1e9:.3f}"
    if isinstance(item, Handover):
        what = (
            f"{escape(f'{item.entity} {item.attribute}')}: "
            f"{chip(item.from_model, colours)} → {chip(item.to_model, colours)}"
        )
        return [time, what, "handover", escape(item.cause)]
    words = escape(event_words(item))
    strong = f"<strong>{words}</strong>" if is_handling(item) else words
    return [time, strong, escape(item.source), escape(arguments_words(item.arguments))]


def _with_source(note: Note) -> str:
    """A note with its source, unless the text names it already."""
    named = note.text.startswith(f"{note.source}: ")
    return note.text if named else f"{note.source}: {note.text}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
