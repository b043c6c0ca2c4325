"""The tasks of an episode, found by id and operation, and what they are a part of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.episodes.tables.rows import Task


class TaskTree:
    """Tasks and their parts.

    Args:
        tasks: of the episode, by begin.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.all = tuple(tasks)
        self._by_row = {task.row: task for task in tasks}
        self._by_id = {task.id: task for task in tasks}
        self._by_operation: dict[str, list[Task]] = {}
        for task in tasks:
            self._by_operation.setdefault(task.operation, []).append(task)

    def task(self, name: str) -> Task:
        """Return a task by its id, or by its operation if there is one task of it.

        Raises:
            BadInput: if there is none, or there are several.
        """
        if name in self._by_id:
            return self._by_id[name]
        found = self._by_operation.get(name, [])
        if len(found) == 1:
            return found[0]
        ids = [task.id for task in found] or [*self._by_id]
        problem = "several tasks have this operation" if found else "unknown task"
        raise BadInput(problem, found=name, expected=_listed(name, ids))

    def tasks(self, operation: str | None = None) -> tuple[Task, ...]:
        """Return the tasks of an operation, or all, by begin.

        Raises:
            BadInput: if no task has this operation.
        """
        if operation is None:
            return self.all
        if operation not in self._by_operation:
            names = list(self._by_operation)
            raise BadInput("unknown task", found=operation, expected=one_of(operation, names))
        return tuple(self._by_operation[operation])

    def row(self, row: int) -> Task:
        """Return the task of a number."""
        return self._by_row[row]

    def parent(self, task: Task) -> Task | None:
        """Return the task that another is a part of; None if it is no part, or of a task that the log does not have."""
        return self._by_id.get(task.parent) if task.parent else None

    def above(self, task: Task) -> Iterator[Task]:
        """Yield the tasks that a task is a part of, the nearest first."""
        seen = {task.id}
        found = self.parent(task)
        while found is not None and found.id not in seen:
            seen.add(found.id)
            yield found
            found = self.parent(found)

    def active(self, time_ns: int) -> list[Task]:
        """Return the tasks that were active at a moment, the one that began last first; its end counts."""
        found = [t for t in self.all if t.span.from_ns <= time_ns <= t.span.to_ns]
        return sorted(found, key=lambda t: (-t.span.from_ns, -len(list(self.above(t))), t.row))


SHOWN = 12
"""More ids than these are not listed."""


def _listed(name: str, ids: list[str]) -> str:
    text = one_of(name, ids)
    if len(ids) <= SHOWN:
        return text
    _, _, near = text.partition(" (perhaps")
    return f"one of {', '.join(ids[:SHOWN])} and {len(ids) - SHOWN} more" + (
        f" (perhaps{near}" if near else ""
    )
