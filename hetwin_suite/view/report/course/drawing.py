"""Draws the course of a run: from the top flaws, tasks, and facts with what was believed of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from hetwin_core.ensemble.words import seconds
from hetwin_core.episodes.tables.rows import BeliefError, Interval, Status, Task
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.figures import Bar, Part, Rows, Tint
from hetwin_suite.view.report.course.facts import Fact
from hetwin_suite.view.report.lanes import lane_name, lanes

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
_MOST_BANDS = 40


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


def drawn(tables: Tables, shown: Sequence[Fact], flaws: Sequence[Mark]) -> Rows:
    """Return the figure."""
    least = max(1, (tables.known_until_ns - tables.start_ns) // 250)
    flaw_bars = _flaws(sorted(flaws, key=lambda mark: mark.span), least)
    task_bars = _tasks(tables.tasks, least)
    rows = [
        *dict.fromkeys(bar.row for bar in sorted(flaw_bars, key=lambda bar: len(bar.row))),
        *dict.fromkeys(sorted((bar.row for bar in task_bars), key=_task_order)),
        *(fact.words for fact in shown),
    ]
    tints = [
        Tint(span.from_ns / 1e9, span.to_ns / 1e9, _RED)
        for span in (_widened(mark.span, least) for mark in flaws[:_MOST_BANDS])
    ]
    facts = (bar for fact in shown for bar in _of_fact(fact))
    span = tables.start_ns / 1e9, tables.known_until_ns / 1e9
    return Rows(rows, [*flaw_bars, *task_bars, *facts], span, tints)


def _bar(row: str, span: Interval, colour: str, title: str, **more: Any) -> Bar:
    return Bar(row, span.from_ns / 1e9, span.to_ns / 1e9, colour, title=title, **more)


def _flaws(flaws: Sequence[Mark], least: int) -> list[Bar]:
    spans = [_widened(mark.span, least) for mark in flaws]
    return [
        _bar(
            lane_name(_FLAWS, lane),
            mark.span,
            _RED,
            _words(mark.kind),
            text=_words(mark.kind),
            detail=mark.text,
        )
        for mark, lane in zip(flaws, lanes(spans), strict=True)
    ]


def _widened(span: Interval, least: int) -> Interval:
    return Interval(span.from_ns, max(span.to_ns, span.from_ns + least))


def _tasks(tasks: Sequence[Task], least: int) -> list[Bar]:
    """The tasks; each below the one that it is a part of, those that overlap side by side."""
    depths = _depths(tasks)
    found = []
    for depth in sorted(set(depths)):
        own = sorted(
            (task for task, at in zip(tasks, depths, strict=True) if at == depth),
            key=lambda task: task.span,
        )
        spans = [_widened(task.span, least) for task in own]
        for task, lane in zip(own, lanes(spans), strict=True):
            goal = f"goal: {task.goal}" if task.goal else ""
            said = {"text": task.id, "detail": "\n".join(filter(None, (goal, task.reason)))}
            row, title = lane_name(_level(depth), lane), f"{task.id}: {task.status}"
            kind = f"task {task.status}"
            found.append(_bar(row, task.span, _STATUS[task.status], title, kind=kind, **said))
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


def _of_fact(fact: Fact) -> Iterator[Bar]:
    """Above what held, below what the robot believed, and where that was wrong."""
    half = Part.UPPER if fact.said else None
    for span in fact.held:
        yield _bar(fact.words, span, _HELD, fact.words, part=half, kind="held in the world")
    lower: dict[str, Any] = {"part": Part.LOWER}
    for span, belief in zip(fact.believed, fact.beliefs, strict=True):
        source = f"from {belief.origin}" if belief.origin else ""
        title = f"{fact.words} believed"
        yield _bar(fact.words, span, _BELIEVED, title, detail=source, kind="believed", **lower)
    for error in fact.errors:
        title = f"{fact.words} believed wrongly{_how_far(error)}"
        last = f"last believed anew at {seconds(error.believed_ns, 3)}"
        kind = "believed wrongly"
        yield _bar(fact.words, error.span, _RED, title, detail=last, kind=kind, **lower)


def _how_far(error: BeliefError) -> str:
    parts = [f"{100 * error.distance:.1f} cm"] if error.distance else []
    parts += [f"{57.29578 * error.angle:.0f} degrees"] if error.angle else []
    return f", by {' and '.join(parts)}" if parts else ""


def _words(name: str) -> str:
    return name.replace("_", " ")
