"""The time line: who was responsible for what, what the robot's program did, what happened."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.words import arguments_words, event_words, seconds
from hetwin_core.projection.episode import Episode
from hetwin_core.projection.report.figure import Figure, bars, escaped, figure, time_axis
from hetwin_core.projection.report.palette import model_colours
from hetwin_core.projection.report.story.events import is_handling

_ACTION = "#a3acba"
_EVENTS = "events"
_ROW = 30
_MOST_LABELS = 12
_SYMBOLS = {
    EventKind.MODEL: "circle",
    EventKind.ACTION: "triangle-right-open",
    EventKind.TOPIC: "square-open",
    EventKind.TRIGGER: "x-thin-open",
}


def timeline(episode: Episode) -> Figure:
    """Rows, from the top: events, the robot's actions, what was handed over, everything else."""
    rows: list[str] = []
    traces: list[dict[str, Any]] = []
    if episode.events:
        rows.append(_EVENTS)
        traces += _event_traces(episode.events)
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
        legend={"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"},
        barmode="overlay",
        bargap=0.28,
        hovermode="closest",
        xaxis=time_axis(episode.start_ns / 1e9, episode.end_ns / 1e9),
        yaxis={
            "categoryorder": "array",
            "categoryarray": rows[::-1],
            "range": [-0.6, len(rows) - 0.4],
            "automargin": True,
            "showgrid": False,
            "fixedrange": True,
            "ticksuffix": " ",
        },
        margin={"l": 10, "r": 14, "t": top, "b": bottom},
    )


def _labels(episode: Episode) -> list[dict[str, Any]]:
    """Names over the dots of what was done to objects, as long as they are few enough to read."""
    near = (episode.end_ns - episode.start_ns) // 60
    late = episode.start_ns + (episode.end_ns - episode.start_ns) * 2 // 3
    labels: list[tuple[int, str]] = []
    for event in sorted(filter(is_handling, episode.events), key=lambda event: event.time_ns):
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


def _owner_bars(episode: Episode) -> tuple[list[str], list[dict[str, Any]]]:
    colours = model_colours(episode.models)
    cut: dict[str, list[tuple[str, int, int]]] = {model.name: [] for model in episode.models}
    rows: list[str] = []
    kept: Counter[str] = Counter()
    for (entity, attribute), found in episode.responsibilities.items():
        if len(found) == 1:
            kept[found[0].model] += 1
            continue
        row = escaped(f"{entity} · {attribute}")
        rows.append(row)
        for span in found:
            cut.setdefault(span.model, []).append((row, span.from_ns, span.to_ns))
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
    """The robot's actions; those that overlap come in rows of their own."""
    lanes: list[int] = []
    rows, starts, lengths, texts = [], [], [], []
    least = (episode.end_ns - episode.start_ns) // 400
    for item in episode.annotations:
        end = max(item.end_ns, item.begin_ns + least)
        free = (i for i, busy_until in enumerate(lanes) if busy_until <= item.begin_ns)
        lane = next(free, len(lanes))
        if lane == len(lanes):
            lanes.append(0)
        lanes[lane] = end
        rows.append(_lane(lane))
        starts.append(item.begin_ns / 1e9)
        lengths.append((end - item.begin_ns) / 1e9)
        texts.append(escaped(item.operation.replace("_", " ")))
    if not rows:
        return [], []
    hover = [
        f"<b>{text}</b><br>{seconds(item.begin_ns, 3)} to "
        f"{'the end' if item.open_end else seconds(item.end_ns, 3)}"
        f"<br>{escaped(arguments_words(item.arguments))}"
        for text, item in zip(texts, episode.annotations, strict=True)
    ]
    trace = bars(
        rows,
        starts,
        lengths,
        name="the robot's program",
        text=texts,
        textposition="inside",
        insidetextanchor="middle",
        textfont={"color": "#20252e", "size": 11},
        marker={"color": _ACTION, "line": {"color": "rgba(255,255,255,0.6)", "width": 1}},
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
    )
    return [_lane(i) for i in range(len(lanes))], [trace]


def _lane(index: int) -> str:
    return "actions" if index == 0 else f"actions {index + 1}"


def _event_traces(events: tuple[Event, ...]) -> list[dict[str, Any]]:
    traces = []
    for kind in EventKind:
        chosen = [event for event in events if event.kind is kind]
        if not chosen:
            continue
        hover = [
            f"<b>{escaped(event_words(event))}</b><br>{seconds(event.time_ns, 3)} · "
            f"{escaped(event.source)}<br>{escaped(arguments_words(event.arguments))}"
            for event in chosen
        ]
        handled = [is_handling(event) for event in chosen]
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
