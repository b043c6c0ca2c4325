"""Tasks and events as maps, as expressions have and answers show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hetwin_core.episodes.tables.rows import Happening, Status, Task
from hetwin_core.episodes.tables.tables import Tables

TASK_ROW = "task_row"
EVENT_ROW = "event_row"
SHOWN_OF_TASK = ("id", "operation", "from", "to", "status")
SHOWN_OF_EVENT = ("name", "time", "arguments")


def task_map(task: Task, tables: Tables) -> dict[str, Any]:
    """Return a task; times in s, the end is null if it has not ended in a log that grows."""
    ended = tables.finished or task.status not in (Status.CREATED, Status.ACTIVE)
    begin, end = task.span.from_ns / 1e9, task.span.to_ns / 1e9 if ended else None
    return {
        "id": task.id,
        "operation": task.operation,
        "from": begin,
        "to": end,
        "start": begin,
        "end": end,
        "status": task.status.value,
        "goal": task.goal,
        "parent": task.parent,
        "after": list(task.after),
        "reason": task.reason,
        "variables": dict(task.variables),
        TASK_ROW: task.row,
    }


def event_map(event: Happening, row: int | None) -> dict[str, Any]:
    """Return an event; its time in s.

    Args:
        event: of the world or of beliefs.
        row: where `event_of` finds it; None: it is no row of the events.
    """
    return {
        "name": event.name,
        "time": event.time_ns / 1e9,
        "arguments": dict(event.arguments),
        "source": event.source,
        EVENT_ROW: row,
    }


def shown(value: Any) -> Any:
    """Return a value as answers show it; CEL has lost the order of maps, so that they are sorted."""
    if isinstance(value, Mapping):
        if TASK_ROW in value:
            return {key: value[key] for key in SHOWN_OF_TASK}
        if EVENT_ROW in value:
            return {key: shown(value[key]) for key in SHOWN_OF_EVENT}
        return {str(key): shown(one) for key, one in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [shown(one) for one in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
