"""Section of a page with tasks, flaws, and fluents of the world together with the robot's beliefs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hetwin_core.ensemble.words import seconds
from hetwin_core.episodes.tables.rows import Belief, BeliefError, Interval, Occasion, Status, Task
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.content import Content, Inline, Paragraph, Section, Time, listed
from hetwin_suite.view.figures import Bar, Part, Rows, Tint
from hetwin_suite.view.report.followed import lane_name, lanes

MAX_FACTS = 24
_REDUNDANT = ("contact", "attached", "loc", "moving")
"""Fluents that add little to other ones; shown only if the robot was wrong about them."""


@dataclass
class Fact:
    """A fluent of one or two entities.

    Attributes:
        words: e.g. ``on(box, tray)``.
        held: intervals in which it held in the world.
        believed: intervals in which the robot believed it.
        beliefs: first belief of each interval in `believed`.
        errors: wrong beliefs.
        reported: whether the robot has reported any belief about it.
    """

    words: str
    held: list[Interval] = field(default_factory=list)
    believed: list[Interval] = field(default_factory=list)
    beliefs: list[Belief] = field(default_factory=list)
    errors: list[BeliefError] = field(default_factory=list)
    reported: bool = False


def facts(tables: Tables) -> tuple[list[Fact], int]:
    """Return the facts to show, by their begin, and the number of omitted ones.

    Shown are facts that change during the run, and facts about which the robot has reported a belief. Of more than
    `MAX_FACTS`, those with wrong beliefs are preferred, then reported ones, then those that change most.
    """
    keys = dict.fromkeys(_keys(tables))
    found = [_fact(tables, *key) for key in keys]
    candidates = [fact for fact in found if fact.reported or _changes(fact, tables)]
    candidates.sort(key=lambda fact: (not fact.errors, not fact.reported, -_changes(fact, tables)))
    shown = candidates[:MAX_FACTS]
    shown.sort(key=lambda fact: min([*fact.held, *fact.believed], default=Interval(0, 0)))
    return shown, len(candidates) - len(shown)


def _keys(tables: Tables) -> Iterator[tuple[str, str, str]]:
    for row in tables.occasions:
        if row.fluent not in _REDUNDANT:
            yield row.fluent, row.a, row.b
    for error in tables.belief_errors:
        yield error.fluent, error.a, error.b
    for fluent, a in sorted(tables.believed):
        if fluent not in _REDUNDANT:
            yield from dict.fromkeys((fluent, a, row.b) for row in tables.beliefs.find(fluent, a))


def _fact(tables: Tables, fluent: str, a: str, b: str) -> Fact:
    fact = Fact(f"{fluent}({a}, {b})" if b else f"{fluent}({a})")
    fact.held = [row.span for row in _about(tables.occasions.find(fluent, a, b), b)]
    for belief in tables.beliefs.find(fluent, a, b):
        fact.reported = True
        if not belief.holds:
            continue
        if fact.believed and fact.believed[-1].to_ns >= belief.span.from_ns:
            fact.believed[-1] = Interval(fact.believed[-1].from_ns, belief.span.to_ns)
        else:
            fact.believed.append(belief.span)
            fact.beliefs.append(belief)
    fact.errors = [
        error
        for error in tables.belief_errors
        if (error.fluent, error.a, error.b) == (fluent, a, b)
    ]
    return fact


def _about(rows: Iterable[Occasion], b: str) -> list[Occasion]:
    """Return the rows with this second entity; the search with an empty one also finds rows with any other."""
    return [row for row in rows if b in (row.a, row.b)]


def _changes(fact: Fact, tables: Tables) -> int:
    return sum(
        (span.from_ns > tables.start_ns) + (span.to_ns < tables.known_until_ns)
        for span in fact.held
    )


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
_MAX_BANDS = 40


class Mark(NamedTuple):
    """A flaw to draw.

    Attributes:
        kind: e.g. ``knocked_over``.
        span: time interval of the flaw.
        text: a sentence about it.
    """

    kind: str
    span: Interval
    text: str


def course_figure(tables: Tables, shown: Sequence[Fact], flaws: Sequence[Mark]) -> Rows:
    """Return the figure with a row for each flaw lane, task lane and fact."""
    shortest = max(1, (tables.known_until_ns - tables.start_ns) // 250)
    flaw_bars = _flaws(sorted(flaws, key=lambda mark: mark.span), shortest)
    task_bars = _tasks(tables.tasks, shortest)
    rows = [
        *dict.fromkeys(bar.row for bar in sorted(flaw_bars, key=lambda bar: len(bar.row))),
        *dict.fromkeys(sorted((bar.row for bar in task_bars), key=_task_order)),
        *(fact.words for fact in shown),
    ]
    tints = [
        Tint(span.from_ns / 1e9, span.to_ns / 1e9, _RED)
        for span in (_widened(mark.span, shortest) for mark in flaws[:_MAX_BANDS])
    ]
    facts = (bar for fact in shown for bar in _fact_bars(fact))
    span = tables.start_ns / 1e9, tables.known_until_ns / 1e9
    return Rows(rows, [*flaw_bars, *task_bars, *facts], span, tints)


def _bar(row: str, span: Interval, colour: str, title: str, **more: Any) -> Bar:
    return Bar(row, span.from_ns / 1e9, span.to_ns / 1e9, colour, title=title, **more)


def _flaws(flaws: Sequence[Mark], shortest: int) -> list[Bar]:
    spans = [_widened(mark.span, shortest) for mark in flaws]
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


def _widened(span: Interval, shortest: int) -> Interval:
    return Interval(span.from_ns, max(span.to_ns, span.from_ns + shortest))


def _tasks(tasks: Sequence[Task], shortest: int) -> list[Bar]:
    """Return the bars of tasks: subtasks in rows below their parents, overlapping tasks in separate lanes."""
    depths = _depths(tasks)
    found = []
    for depth in sorted(set(depths)):
        tasks_of_level = sorted(
            (task for task, level in zip(tasks, depths, strict=True) if level == depth),
            key=lambda task: task.span,
        )
        spans = [_widened(task.span, shortest) for task in tasks_of_level]
        for task, lane in zip(tasks_of_level, lanes(spans), strict=True):
            goal = f"goal: {task.goal}" if task.goal else ""
            texts = {"text": task.id, "detail": "\n".join(filter(None, (goal, task.reason)))}
            row, title = lane_name(_level(depth), lane), f"{task.id}: {task.status}"
            kind = f"task {task.status}"
            found.append(_bar(row, task.span, _STATUS[task.status], title, kind=kind, **texts))
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


def _fact_bars(fact: Fact) -> Iterator[Bar]:
    """Yield the bars of a fact: upper half the world, lower half the robot's belief, red where it was wrong."""
    half = Part.UPPER if fact.reported else None
    for span in fact.held:
        yield _bar(fact.words, span, _HELD, fact.words, part=half, kind="held in the world")
    lower: dict[str, Any] = {"part": Part.LOWER}
    for span, belief in zip(fact.believed, fact.beliefs, strict=True):
        source = f"from {belief.origin}" if belief.origin else ""
        title = f"{fact.words} believed"
        yield _bar(fact.words, span, _BELIEVED, title, detail=source, kind="believed", **lower)
    for error in fact.errors:
        title = f"{fact.words} believed wrongly{_error_words(error)}"
        last = f"last believed anew at {seconds(error.believed_ns, 3)}"
        kind = "believed wrongly"
        yield _bar(fact.words, error.span, _RED, title, detail=last, kind=kind, **lower)


def _error_words(error: BeliefError) -> str:
    parts = [f"{100 * error.distance:.1f} cm"] if error.distance else []
    parts += [f"{57.29578 * error.angle:.0f} degrees"] if error.angle else []
    return f", by {' and '.join(parts)}" if parts else ""


def _words(name: str) -> str:
    return name.replace("_", " ")


COURSE = "course"
TITLE = "What was done, what held, what was believed"
_MAX_FLAWS = 8


def course_card(tables: Tables, flaws: Sequence[Mark], trouble: str = "") -> Section | None:
    """Return the section; None if there are neither tasks nor flaws nor facts to show.

    Args:
        tables: tables of the episode.
        flaws: flaws, by their begin.
        trouble: error that prevented the search for flaws; empty without one.
    """
    shown, omitted = facts(tables)
    if not (shown or tables.tasks or flaws):
        return None
    content: list[Content] = [course_figure(tables, shown, flaws)]
    if flaws:
        rows: list[list[Inline]] = [
            [Time(mark.span.from_ns), mark.kind.replace("_", " "), mark.text] for mark in flaws
        ]
        content += listed(["time", "flaw", "what happened"], rows, _MAX_FLAWS, number=0)
    if trouble:
        content.append(Paragraph(trouble, "note"))
    return Section(TITLE, _how_to_read(tables, flaws, omitted), content, COURSE)


def _how_to_read(tables: Tables, flaws: Sequence[Mark], omitted: int) -> str:
    text = "Tasks have the colour of how they ended; below them is what held."
    if tables.believed:
        text = (
            "Tasks have the colour of how they ended. Below them, the upper half of a row is what held, the lower "
            "half what the robot believed, red where that was wrong."
        )
    more = f" {omitted} rows that change less are left out." if omitted else ""
    bands = " Bands in red are flaws." if flaws else ""
    return f"{text}{bands} Point at a bar.{more}"
