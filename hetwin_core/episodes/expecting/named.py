"""The entities that tasks name: in their variables and goals, and in those of the tasks that they are a part of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.expressions.terms import terms_in
from hetwin_core.episodes.expecting.bodies import Bodies
from hetwin_core.episodes.tables.rows import Task

_FIRST, _SECOND = ("object", "a"), ("target", "support", "container", "destination", "b")
"""What tasks call the first and the second entity of their goal's terms."""


class Named:
    """Finds what tasks name.

    Args:
        tasks: all of an episode.
        bodies: its entities.
    """

    def __init__(self, tasks: Sequence[Task], bodies: Bodies) -> None:
        self._by_id = {task.id: task for task in tasks}
        self._bodies = bodies
        self._own: dict[str, tuple[str, ...]] = {}

    def lineage(self, task: Task) -> Iterator[Task]:
        """Iterate over a task and what it is a part of, inside out."""
        seen: set[str] = set()
        while task.id not in seen:
            yield task
            seen.add(task.id)
            above = self._by_id.get(task.parent)
            if above is None:
                return
            task = above

    def own(self, task: Task) -> tuple[str, ...]:
        """Return the entities that a task itself names, those of its goal first."""
        if task.id not in self._own:
            goal = (name for _, names in terms_in(task.goal) for name in names)
            found = (*goal, *_texts(task.variables))
            self._own[task.id] = tuple(dict.fromkeys(n for n in found if n in self._bodies))
        return self._own[task.id]

    def entities(self, task: Task) -> tuple[str, ...]:
        """Return the entities that a task names, and those that it is a part of."""
        return tuple(dict.fromkeys(n for above in self.lineage(task) for n in self.own(above)))

    def objects(self, task: Task) -> tuple[str, ...]:
        """Return those among `entities` that can be moved."""
        return tuple(name for name in self.entities(task) if self._bodies.is_movable(name))

    def role(self, task: Task, role: str) -> tuple[str, ...]:
        """Return what a task, or else the nearest that it is a part of, calls by a role; empty if none does."""
        for above in self.lineage(task):
            found = tuple(n for n in _flat(above.variables.get(role)) if n)
            found = found or self._of_goal(above, role)
            if found:
                return found
        return ()

    def _of_goal(self, task: Task, role: str) -> tuple[str, ...]:
        place = 0 if role in _FIRST else 1 if role in _SECOND else None
        if place is None:
            return ()
        names = [n[place] for _, n in terms_in(task.goal) if len(n) > place]
        if role in ("support", "target", *_SECOND):
            names = [n for n in names if n not in self._bodies.hands]
        return tuple(dict.fromkeys(names))


def _texts(variables: Mapping[str, Json]) -> Iterator[str]:
    for value in variables.values():
        yield from _flat(value)


def _flat(value: Json) -> Iterator[str]:
    """The texts in a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(value)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _flat(part)
