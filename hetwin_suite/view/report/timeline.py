"""The time line: who was responsible for what, what the robot's program did, what happened."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hetwin_core.ensemble.annotations import ROBOT
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.words import event_words, seconds
from hetwin_core.projection.episode import Episode
from hetwin_suite.view.palette import model_colours
from hetwin_suite.view.report.figure import (
    LEGEND_BELOW,
    ONLY_WIDE,
    Figure,
    bars,
    escaped,
    figure,
    row_axis,
    time_axis,
)
from hetwin_suite.view.report.lanes import lane_name, lanes
from hetwin_suite.view.report.story.concerns import ABSURD, NOTE, WARNING, stored_concerns
from hetwin_suite.view.report.story.events import (
    WATCHER,
    details,
    is_handling,
    is_own,
    own_events,
    own_words,
)

_ACTION = "#a3acba"
_EVENTS, _CONCERNS, _ACTIONS = "events", "concerns", "actions"
_SEVERITY = {NOTE: "#8b97a8", WARNING: "#d9a13b", ABSURD: "#d65f5f"}
_ROW = 30
_MOST_LABELS = 12
_SYMBOLS = {
    EventKind.MODEL: "circle",
    EventKind.ACTION: "triangle-right-open",
    EventKind.TOPIC: "square-open",
    EventKind.TRIGGER: "x-thin-open",
    EventKind.TASK: "diamond-open",
}


def timeline(episode: Episode) -> Figure:
    """Rows, from the top: events, concerns, the robot's actions, what was handed over, everything else."""
    rows: list[str] = []
    traces: list[dict[str, Any]] = []
    shown = tuple(event for event in episode.events if event.source != WATCHER)
    if shown:
        rows.append(_EVENTS)
        traces += _event_traces(episode, shown)
    concern_rows, concern_traces = _concern_bars(episode)
    rows += concern_rows
    traces += concern_traces
    action_rows, action_trace = _action_bars(episode)
    rows += action_rows
    traces += action_trace
    owner_rows, owner_traces = _owner_bars(episode)
    rows += owner_rows
    traces += owner_traces
    labels = _labels(episode)
    top = 74 if labels else 10
    bottom = 76 if len(owner_traces) > 1 else 34
    return figure(
        traces,
        44 + top + bottom + _ROW * len(rows),
        annotations=labels,
        showlegend=len(owner_traces) > 1,
        legend=LEGEND_BELOW,
        barmode="overlay",
        bargap=0.28,
        hovermode="closest",
        xaxis=time_axis(episode.start_ns / 1e9, episode.end_ns / 1e9),
        yaxis=row_axis(rows),
        margin={"l": 10, "r": 14, "t": top, "b": bottom},
    )


def _labels(episode: Episode) -> list[dict[str, Any]]:
    """Names over the dots of what was done to objects, as long as they are few enough to read."""
    near = (episode.end_ns - episode.start_ns) // 60
    late = episode.start_ns + (episode.end_ns - episode.start_ns) * 2 // 3
    labels: list[tuple[int, str]] = []
    for event in _named(episode):
        name = event.name.replace("_", " ")
        if labels and event.time_ns - labels[-1][0] < near:
            labels[-1] = (labels[-1][0], f"{labels[-1][1]}, {name}")
        else:
            labels.append((event.time_ns, name))
    if len(labels) > _MOST_LABELS:
        return []
    return [
        {
            "x": time_ns / 1e9,
            "y": _EVENTS,
            "text": escaped(text),
            "name": ONLY_WIDE,
            "showarrow": False,
            # Those on the right are turned the other way, to stay on the page.
            "textangle": 32 if time_ns > late else -32,
            "xanchor": "right" if time_ns > late else "left",
            "yanchor": "bottom",
            "yshift": 8,
            "font": {"size": 11},
        }
        for time_ns, text in labels
    ]


def _named(episode: Episode) -> list[Event]:
    """What was handled, and the first of each kind of what else models observed."""
    first: dict[str, Event] = {}
    for event in own_events(episode):
        first.setdefault(own_words(episode, event), event)
    handled = [event for event in episode.events if is_handling(event)]
    return sorted([*handled, *first.values()], key=lambda event: event.time_ns)


def _concern_bars(episode: Episode) -> tuple[list[str], list[dict[str, Any]]]:
    """The concerns; those that overlap come in rows of their own."""
    concerns = sorted(stored_concerns(episode), key=lambda concern: concern.from_ns)
    least = (episode.end_ns - episode.start_ns) // 200
    spans = [(c.from_ns, max(c.to_ns, c.from_ns + least)) for c in concerns]
    found = lanes(spans)
    if not found:
        return [], []
    hover = [
        f"<b>{escaped(c.text)}</b><br>{seconds(c.from_ns, 3)} to {seconds(c.to_ns, 3)}"
        f"<br>{c.severity}{f', {c.times} times' if c.times > 1 else ''}"
        for c in concerns
    ]
    rows = [lane_name(_CONCERNS, lane) for lane in found]
    trace = bars(
        rows,
        [begin / 1e9 for begin, _ in spans],
        [(end - begin) / 1e9 for begin, end in spans],
        name="concerns",
        marker={"color": [_SEVERITY[c.severity] for c in concerns], "line": {"width": 0}},
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
    )
    return list(dict.fromkeys(sorted(rows, key=rows.index))), [trace]


def _owner_bars(episode: Episode) -> tuple[list[str], list[dict[str, Any]]]:
    colours = model_colours(episode.models)
    cut: dict[str, list[tuple[str, int, int]]] = {model.name: [] for model in episode.models}
    rows: list[str] = []
    kept: Counter[str] = Counter()
    for (entity, attribute), found in episode.responsibilities.items():
        if len(found) == 1:
            kept[found[0].model] += found[0].model != WATCHER
            continue
        row = escaped(f"{entity} · {attribute}")
        rows.append(row)
        for span in found:
            cut.setdefault(span.model, []).append((row, span.from_ns, span.to_ns))
    kept = +kept
    for model, count in kept.items():
        other = "everything else" if rows else "everything"
        row = escaped(f"{other} · {count}" if len(kept) == 1 else f"other · {count} ({model})")
        rows.append(row)
        cut.setdefault(model, []).append((row, episode.start_ns, episode.end_ns))
    traces = []
    for model, pieces in cut.items():
        if pieces:
            name = escaped(model)
            traces.append(
                bars(
                    [row for row, _, _ in pieces],
                    [start / 1e9 for _, start, _ in pieces],
                    [(end - start) / 1e9 for _, start, end in pieces],
                    name=name,
                    marker={"color": colours.get(model, _ACTION), "line": {"width": 0}},
                    customdata=[[seconds(start, 3), seconds(end, 3)] for _, start, end in pieces],
                    hovertemplate=f"<b>{name}</b><br>%{{y}}<br>%{{customdata[0]}} to "
                    "%{customdata[1]}<extra></extra>",
                )
            )
    return rows, traces


def _action_bars(episode: Episode) -> tuple[list[str], list[dict[str, Any]]]:
    """The robots' actions, robot by robot; those that overlap come in rows of their own."""
    least = (episode.end_ns - episode.start_ns) // 400
    spans = [(a.begin_ns, max(a.end_ns, a.begin_ns + least)) for a in episode.annotations]
    rows, order = _action_rows(episode, spans)
    texts = [escaped(item.operation.replace("_", " ")) for item in episode.annotations]
    if not rows:
        return [], []
    hover = [
        f"<b>{text}</b><br>{seconds(item.begin_ns, 3)} to "
        f"{'the end' if item.open_end else seconds(item.end_ns, 3)}"
        f"<br>{escaped(details(item.arguments))}"
        for text, item in zip(texts, episode.annotations, strict=True)
    ]
    trace = bars(
        rows,
        [begin / 1e9 for begin, _ in spans],
        [(end - begin) / 1e9 for begin, end in spans],
        name="the robot's program",
        text=texts,
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": "#20252e", "size": 11},
        marker={"color": _ACTION, "line": {"color": "rgba(255,255,255,0.6)", "width": 1}},
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
    )
    return order, [trace]


def _action_rows(episode: Episode, spans: list[tuple[int, int]]) -> tuple[list[str], list[str]]:
    """The row of each action, and all rows from the top."""
    robots = [str(action.arguments.get(ROBOT, "")) for action in episode.annotations]
    several = len(episode.layout.of_kind(EntityKind.ROBOT)) > 1
    names = [f"{_ACTIONS} of {robot}" if several and robot else _ACTIONS for robot in robots]
    rows = [""] * len(spans)
    order: dict[str, None] = {}
    for name in dict.fromkeys(names):
        own = [i for i, other in enumerate(names) if other == name]
        for i, lane in zip(own, lanes([spans[i] for i in own]), strict=True):
            rows[i] = lane_name(name, lane)
            order[rows[i]] = None
    return rows, list(order)


def _event_traces(episode: Episode, events: tuple[Event, ...]) -> list[dict[str, Any]]:
    traces = []
    own = own_events(episode)
    for kind in EventKind:
        chosen = [event for event in events if event.kind is kind]
        if not chosen:
            continue
        hover = [
            f"<b>{escaped(_words(episode, event))}</b><br>{seconds(event.time_ns, 3)} · "
            f"{escaped(event.source)}<br>{escaped(details(event.arguments))}"
            for event in chosen
        ]
        handled = [is_handling(event) or event in own for event in chosen]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [event.time_ns / 1e9 for event in chosen],
                "y": [_EVENTS] * len(chosen),
                "name": f"{kind.value} event",
                "marker": {
                    "symbol": _SYMBOLS[kind],
                    "size": [12 if big else 8 for big in handled],
                    "color": ["#d65f5f" if big else "#8b97a8" for big in handled],
                    "line": {"width": 1.4},
                },
                "hovertext": hover,
                "hovertemplate": "%{hovertext}<extra></extra>",
                "showlegend": False,
            }
        )
    return traces


def _words(episode: Episode, event: Event) -> str:
    return own_words(episode, event) if is_own(episode, event) else event_words(event)
