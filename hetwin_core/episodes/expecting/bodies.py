"""The entities of a scene: the meaning of their names, and the entities that tasks name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.expressions.expression import terms_in
from hetwin_core.ensemble.scene.hands import hand_links
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.episodes.tables.rows import Task

ROBOT = "robot"
"""Name that means every robot."""


class Bodies:
    """The entities of a scene, by kind.

    Args:
        layout: layout of the scene.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._entities = {entity.name: entity for entity in layout.entities}
        self._meant: dict[str, frozenset[str]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._entities

    def kind(self, name: str) -> EntityKind | None:
        """Return the kind of an entity; None if there is none of this name."""
        entity = self._entities.get(name)
        return None if entity is None else entity.kind

    def owner(self, name: str) -> str:
        """Return the robot of a link or hand; empty for any other entity."""
        entity = self._entities.get(name)
        return "" if entity is None else entity.owner

    def is_movable(self, name: str) -> bool:
        """Whether the entity is an object that can be moved."""
        return self.kind(name) is EntityKind.OBJECT

    @cached_property
    def links(self) -> frozenset[str]:
        """The links of all robots, without those of other articulated bodies."""
        robots = {e.name for e in self._entities.values() if e.kind is EntityKind.ROBOT}
        return frozenset(
            e.name
            for e in self._entities.values()
            if e.kind is EntityKind.LINK and e.owner in robots
        )

    @cached_property
    def hands(self) -> tuple[str, ...]:
        """All hands, in the scene's order."""
        return tuple(e.name for e in self._entities.values() if e.kind is EntityKind.HAND)

    def stands_for(self, name: str) -> frozenset[str]:
        """Return the entities that a name or a pattern of names means, including itself.

        A hand means its links too, a robot all its links and hands, `ROBOT` every robot.
        """
        if name not in self._meant:
            self._meant[name] = frozenset(self._find(name))
        return self._meant[name]

    def hand_of(self, name: str) -> str:
        """Return the hand of a link; the name itself for a hand, empty if there is none."""
        return next((hand for hand in self.hands if name in self.stands_for(hand)), "")

    def _find(self, name: str) -> Iterable[str]:
        entity = self._entities.get(name)
        if entity is not None and entity.kind is EntityKind.HAND:
            links = hand_links(self._layout, name)
            return {name, *(self._layout.entities[link].name for link in links if link >= 0)}
        if entity is not None and entity.kind is EntityKind.ROBOT:
            return self._of_robot(name)
        if entity is not None:
            return {name}
        if name == ROBOT:
            robots = [e.name for e in self._entities.values() if e.kind is EntityKind.ROBOT]
            return {ROBOT}.union(*(self._of_robot(robot) for robot in robots))
        return {known for known in self._entities if fnmatchcase(known, name)}

    def _of_robot(self, name: str) -> set[str]:
        return {name, *(e.name for e in self._entities.values() if e.owner == name)}


_FIRST, _SECOND = ("object", "a"), ("target", "support", "container", "destination", "b")
"""Roles of the first and the second entity in the terms of a goal."""


def lineage(task: Task, by_id: Mapping[str, Task]) -> Iterator[Task]:
    """Iterate over a task and its ancestors, the nearest first."""
    seen: set[str] = set()
    above: Task | None = task
    while above is not None and above.id not in seen:
        yield above
        seen.add(above.id)
        above = by_id.get(above.parent)


class TaskNames:
    """Finds the entities that tasks name.

    Args:
        tasks: all tasks of an episode.
        bodies: its entities.
    """

    def __init__(self, tasks: Sequence[Task], bodies: Bodies) -> None:
        self._by_id = {task.id: task for task in tasks}
        self._bodies = bodies
        self._names_of_task: dict[str, tuple[str, ...]] = {}

    def lineage(self, task: Task) -> Iterator[Task]:
        """Iterate over a task and its ancestors, the nearest first."""
        return lineage(task, self._by_id)

    def own(self, task: Task) -> tuple[str, ...]:
        """Return the entities that a task itself names, those of its goal first."""
        if task.id not in self._names_of_task:
            goal = (name for _, names in terms_in(task.goal) for name in names)
            found = (*goal, *_texts(task.variables))
            self._names_of_task[task.id] = tuple(
                dict.fromkeys(n for n in found if n in self._bodies)
            )
        return self._names_of_task[task.id]

    def entities(self, task: Task) -> tuple[str, ...]:
        """Return the entities that a task and its ancestors name."""
        return tuple(dict.fromkeys(n for above in self.lineage(task) for n in self.own(above)))

    def objects(self, task: Task) -> tuple[str, ...]:
        """Return those among `entities` that can be moved."""
        return tuple(name for name in self.entities(task) if self._bodies.is_movable(name))

    def role(self, task: Task, role: str) -> tuple[str, ...]:
        """Return the entities with a role in a task, else in its nearest ancestor that has some; empty if none has."""
        for above in self.lineage(task):
            found = tuple(n for n in _nested_texts(above.variables.get(role)) if n)
            found = found or self._of_goal(above, role)
            if found:
                return found
        return ()

    def _of_goal(self, task: Task, role: str) -> tuple[str, ...]:
        index = 0 if role in _FIRST else 1 if role in _SECOND else None
        if index is None:
            return ()
        names = [n[index] for _, n in terms_in(task.goal) if len(n) > index]
        if role in ("support", "target", *_SECOND):
            names = [n for n in names if n not in self._bodies.hands]
        return tuple(dict.fromkeys(names))


def _texts(variables: Mapping[str, Json]) -> Iterator[str]:
    for value in variables.values():
        yield from _nested_texts(value)


def _nested_texts(value: Json) -> Iterator[str]:
    """Yield the texts in a value, at every depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(value)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _nested_texts(part)
