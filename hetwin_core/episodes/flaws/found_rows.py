"""Rows of tables and findings as the rules' queries see them: mappings, with times in s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hetwin_core.episodes.flaws.beliefs import WrongBelief
from hetwin_core.episodes.flaws.goals import Undone, Unmet
from hetwin_core.episodes.flaws.grips import Drop, Taken
from hetwin_core.episodes.flaws.looks import Overlooked, Spilled
from hetwin_core.episodes.flaws.moves import Move
from hetwin_core.episodes.flaws.touches import Touch
from hetwin_core.episodes.tables.rows import BeliefError, Happening, Interval, Occasion, Task

Row = dict[str, Any]


def times(span: Interval) -> Row:
    """Return an interval."""
    return {"from": span.from_ns / 1e9, "to": span.to_ns / 1e9}


def of_occasion(row: Occasion) -> Row:
    """Return an occasion."""
    named = {"fluent": row.fluent, "a": row.a, "b": row.b, "ended": row.ended}
    return {"table": "occasions", "row": row.row, **times(row.span), **named}


def of_event(row: Happening) -> Row:
    """Return an event."""
    span = Interval(row.time_ns, row.time_ns)
    more = {"name": row.name, "source": row.source, "arguments": dict(row.arguments)}
    return {"table": "events", "row": row.row, "time": row.time_ns / 1e9, **times(span), **more}


def of_task(row: Task, entities: Sequence[str]) -> Row:
    """Return a task; `entities` are those that it names."""
    return {
        "table": "tasks",
        "row": row.row,
        **times(row.span),
        "id": row.id,
        "parent": row.parent,
        "after": list(row.after),
        "operation": row.operation,
        "goal": row.goal,
        "status": row.status.value,
        "reason": row.reason,
        "variables": dict(row.variables),
        "entities": list(entities),
    }


def of_error(row: BeliefError) -> Row:
    """Return a wrong belief's row."""
    named = {"fluent": row.fluent, "a": row.a, "b": row.b}
    more = {"distance": row.distance, "angle": row.angle}
    return {"table": "belief_errors", "row": row.row, **times(row.span), **named, **more}


def of_wrong(found: WrongBelief) -> Row:
    """Return a wrong belief as the rules judge it."""
    more = {
        "formed": found.formed_ns / 1e9,
        "stale": found.stale,
        "instead": found.instead,
        "evidence": [of_error(found.error)],
    }
    return {**of_error(found.error), **more}


def of_move(move: Move, **more: bool | None) -> Row:
    """Return a motion, with more that is known of it."""
    blows = [_blow(move, row) for row in move.blows]
    rows = [*map(of_event, move.upsets), *map(of_occasion, move.blows)]
    names = {event.name for event in move.upsets}
    return {
        "number": move.number,
        "object": move.object,
        **times(move.span),
        "hand": "" if move.grip is None else move.grip.b,
        "released": None if move.grip is None else move.grip.span.to_ns / 1e9,
        "in_motion": move.in_motion,
        "left": move.left,
        "parted": move.parted_ns / 1e9,
        "reached": move.reached,
        "upset": sorted(names),
        "blows": blows,
        "struck": bool(blows),
        **more,
        "evidence": [*rows, *([] if move.grip is None else [of_occasion(move.grip)])],
    }


def _blow(move: Move, row: Occasion) -> Row:
    return {**of_occasion(row), "by": row.b if row.a == move.object else row.a}


def of_touch(touch: Touch, static: bool, event: Happening | None) -> Row:
    """Return an unexpected touch; `event` tells of it if no contact does."""
    rows = [of_occasion(row) for row in touch.rows]
    return {
        "body": touch.body,
        "by": touch.by,
        "hand": touch.hand,
        "carried": list(touch.carried),
        "static": static,
        **times(touch.span),
        "evidence": rows if event is None else [*rows, of_event(event)],
    }


def of_unmet(found: Unmet, robot: bool) -> Row:
    """Return a task that is done without its goal; `robot` is whether that is about a robot."""
    move = found.move
    return {
        "task": of_task(found.task, found.entities),
        "goal": found.goal,
        "fluents": list(found.fluents),
        "entities": list(found.entities),
        "believed": found.believed,
        "since": found.since_ns / 1e9,
        "done": found.task.span.to_ns / 1e9,
        "robot": robot,
        "lost": "" if move is None else move.object,
        "evidence": [
            of_task(found.task, ()),
            *(of_event(e) for e in (move.upsets if move else ())),
        ],
    }


def of_undone(found: Undone) -> Row:
    """Return a goal that was undone."""
    blow = found.move.blows[0]
    return {
        "task": of_task(found.task, ()),
        "by": "" if found.by is None else found.by.id,
        "move": found.move.number,
        "object": found.move.object,
        "striker": blow.b if blow.a == found.move.object else blow.a,
        "struck": blow.span.from_ns / 1e9,
        "ended": found.occasion.span.to_ns / 1e9,
        "until": found.move.span.to_ns / 1e9,
        "place": found.occasion.b,
        "evidence": [of_occasion(found.occasion), of_occasion(blow), of_task(found.task, ())],
    }


def of_drop(found: Drop) -> Row:
    """Return what a hand dropped."""
    row = found.row
    return {
        "object": found.object,
        "hand": found.hand,
        "height": found.height,
        "by_itself": found.by_itself,
        **times(found.span),
        "evidence": [of_event(row) if isinstance(row, Happening) else of_occasion(row)],
    }


def of_taken(found: Taken) -> Row:
    """Return what a hand took though its task is about something else."""
    rows = [of_occasion(found.grip)] if found.grip is not None else []
    return {
        "object": found.object,
        "hand": found.hand,
        "meant": list(found.meant),
        "task": found.task.id,
        **times(found.span),
        "evidence": [*rows, *([of_event(found.event)] if found.event is not None else [])],
    }


def of_overlooked(found: Overlooked) -> Row:
    """Return what was visible and not perceived."""
    return {
        "object": found.object,
        "task": found.task.id,
        "from": max(found.visible.span.from_ns, found.task.span.from_ns) / 1e9,
        "to": min(found.visible.span.to_ns, found.task.span.to_ns) / 1e9,
        "evidence": [of_occasion(found.visible), of_task(found.task, ())],
    }


def of_spilled(found: Spilled) -> Row:
    """Return what was spilled."""
    span = Interval(found.events[0].time_ns, found.events[-1].time_ns)
    return {
        "vessel": found.vessel,
        "count": found.count,
        "task": "" if found.task is None else found.task.id,
        "target": list(found.task.variables.values()) if found.task is not None else [],
        **times(span),
        "evidence": [of_event(event) for event in (found.events[0], found.events[-1])],
    }
