"""Draws the course of a run: from the top flaws, tasks, and facts with what was believed of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from hetwin_core.ensemble.words import seconds
from hetwin_core.episodes.tables.rows import BeliefError, Interval, Status, Task
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.report.course.facts import Fact
from hetwin_suite.view.report.figure import (
    LEGEND_BELOW,
    Figure,
    band,
    bars,
    escaped,
    figure,
    row_axis,
    time_axis,
)
from hetwin_suite.view.report.lanes import lane_name, lanes

_ROW = 28
_FLAWS = "flaws"
_RED = "#d65f5f"
_HELD, _BELIEVED = "#3fa88a", "#3b8fd9"
_STATUS = {
    Status.CREATED: "#cfd5de",
    Status.ACTIVE: "#3b8fd9",
    Status.DONE: "#a3acba",
    Status.FAILED: "#e8833a",
    Status.CANCELLED: "#d9a13b",
}
_WHOLE, _HALF = (-0.37, 0.74), 0.36
_UPPER, _LOWER = (0.01, _HALF), (-0.37, _HALF)
"""Where in its row a bar is drawn: offset and width."""
_MOST_BANDS = 40
_LETTERS = 70


class Mark(NamedTuple):
    """A flaw, as it is drawn.

    Attributes:
        kind: e.g. ``knocked_over``.
        span: from when to when.
        text: a sentence.
    """

    kind: str
    span: Interval
    text: str


class _Bar(NamedTuple):
    row: str
    span: Interval
    colour: str
    hover: str
    text: str = ""


def drawn(tables: Tables, shown: Sequence[Fact], flaws: Sequence[Mark]) -> Figure:
    """Return the figure."""
    least = max(1, (tables.known_until_ns - tables.start_ns) // 250)
    flaw_bars = _flaws(sorted(flaws, key=lambda mark: mark.span), least)
    task_bars = _tasks(tables.tasks, least)
    held = [bar for fact in shown for bar in _held(fact)]
    traces = [
        _trace("flaw", flaw_bars, _WHOLE, legend=False),
        *_task_traces(task_bars),
        _trace("held in the world", [bar for bar, alone in held if alone], _WHOLE, legend=True),
        _trace(
            "held in the world", [bar for bar, alone in held if not alone], _UPPER, legend=False
        ),
        _trace("believed", [bar for fact in shown for bar in _believed(fact)], _LOWER, legend=True),
        _trace(
            "believed wrongly", [bar for fact in shown for bar in _wrong(fact)], _LOWER, legend=True
        ),
    ]
    rows = [
        *dict.fromkeys(bar.row for bar in sorted(flaw_bars, key=lambda bar: len(bar.row))),
        *dict.fromkeys(sorted((bar.row for bar in task_bars), key=_task_order)),
        *(escaped(fact.words) for fact in shown),
    ]
    bands = [
        band(mark.span.from_ns / 1e9, max(mark.span.to_ns, mark.span.from_ns + least) / 1e9, _RED)
        for mark in flaws[:_MOST_BANDS]
    ]
    return figure(
        [trace for trace in traces if trace["y"]],
        96 + _ROW * len(rows),
        shapes=bands,
        legend=LEGEND_BELOW,
        barmode="overlay",
        uniformtext={"minsize": 9, "mode": "hide"},
        hovermode="closest",
        xaxis=time_axis(tables.start_ns / 1e9, tables.known_until_ns / 1e9),
        yaxis=row_axis(rows),
        margin={"l": 10, "r": 14, "t": 10, "b": 76},
    )


def _flaws(flaws: Sequence[Mark], least: int) -> list[_Bar]:
    spans = [Interval(m.span.from_ns, max(m.span.to_ns, m.span.from_ns + least)) for m in flaws]
    return [
        _Bar(
            lane_name(_FLAWS, lane),
            span,
            _RED,
            f"<b>{escaped(_words(mark.kind))}</b><br>{_broken(mark.text)}<br>{_when(mark.span)}",
            escaped(_words(mark.kind)),
        )
        for mark, span, lane in zip(flaws, spans, lanes(spans), strict=True)
    ]


def _tasks(tasks: Sequence[Task], least: int) -> list[_Bar]:
    """The tasks; each below the one that it is a part of, those that overlap side by side."""
    depths = _depths(tasks)
    found = []
    for depth in sorted(set(depths)):
        own = sorted(
            (task for task, at in zip(tasks, depths, strict=True) if at == depth),
            key=lambda task: task.span,
        )
        spans = [Interval(t.span.from_ns, max(t.span.to_ns, t.span.from_ns + least)) for t in own]
        for task, span, lane in zip(own, spans, lanes(spans), strict=True):
            row = lane_name(_level(depth), lane)
            found.append(_Bar(row, span, _STATUS[task.status], _task_words(task), escaped(task.id)))
    return found


def _level(depth: int) -> str:
    return "tasks" if depth == 0 else f"{'sub' * depth}tasks"


def _task_order(row: str) -> tuple[int, str]:
    return row.count("sub"), row


def _depths(tasks: Sequence[Task]) -> list[int]:
    parents = {task.id: task.parent for task in tasks}
    found = []
    for task in tasks:
        seen = {task.id}
        parent = task.parent
        while parent in parents and parent not in seen:
            seen.add(parent)
            parent = parents[parent]
        found.append(len(seen) - 1)
    return found


def _task_words(task: Task) -> str:
    lines = [f"<b>{escaped(task.id)}</b>: {task.status}", _when(task.span)]
    if task.goal:
        lines.append(f"goal: {escaped(task.goal)}")
    if task.reason:
        lines.append(escaped(task.reason))
    return "<br>".join(lines)


def _task_traces(found: Sequence[_Bar]) -> list[dict[str, Any]]:
    return [
        _trace(
            f"task {status}", [bar for bar in found if bar.colour == colour], _WHOLE, legend=True
        )
        for status, colour in _STATUS.items()
    ]


def _held(fact: Fact) -> Iterable[tuple[_Bar, bool]]:
    """The bars, and whether the robot has said nothing about it."""
    row = escaped(fact.words)
    for span in fact.held:
        yield _Bar(row, span, _HELD, f"<b>{row}</b><br>{_when(span)}"), not fact.said


def _believed(fact: Fact) -> Iterable[_Bar]:
    row = escaped(fact.words)
    for span, belief in zip(fact.believed, fact.beliefs, strict=True):
        source = f"from {escaped(belief.origin)}" if belief.origin else ""
        yield _Bar(row, span, _BELIEVED, f"<b>{row}</b> believed<br>{_when(span)}<br>{source}")


def _wrong(fact: Fact) -> Iterable[_Bar]:
    row = escaped(fact.words)
    for error in fact.errors:
        hover = f"<b>{row}</b> believed wrongly{_how_far(error)}<br>{_when(error.span)}"
        last = f"last believed anew at {seconds(error.believed_ns, 3)}"
        yield _Bar(row, error.span, _RED, f"{hover}<br>{last}")


def _how_far(error: BeliefError) -> str:
    parts = [f"{100 * error.distance:.1f} cm"] if error.distance else []
    parts += [f"{57.29578 * error.angle:.0f} degrees"] if error.angle else []
    return f", by {' and '.join(parts)}" if parts else ""


def _trace(
    name: str, found: Sequence[_Bar], place: tuple[float, float], *, legend: bool
) -> dict[str, Any]:
    offset, width = place
    return bars(
        [bar.row for bar in found],
        [bar.span.from_ns / 1e9 for bar in found],
        [(bar.span.to_ns - bar.span.from_ns) / 1e9 for bar in found],
        name=name,
        offset=offset,
        width=width,
        text=[bar.text for bar in found],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": "#20252e", "size": 11},
        marker={
            "color": found[0].colour if found else _RED,
            "line": {"color": "rgba(255,255,255,0.6)", "width": 1},
        },
        hovertext=[bar.hover for bar in found],
        hovertemplate="%{hovertext}<extra></extra>",
        legendgroup=name,
        showlegend=legend,
    )


def _when(span: Interval) -> str:
    return f"{seconds(span.from_ns, 3)} to {seconds(span.to_ns, 3)}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _broken(text: str) -> str:
    """A sentence in lines that a hover label can hold."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > _LETTERS:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "<br>".join(map(escaped, lines))
