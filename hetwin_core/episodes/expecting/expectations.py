"""Decides whether the tasks in progress make an event expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.expressions.expression import ANY, ArgumentPattern, EventPattern
from hetwin_core.ensemble.expressions.nodes import Literal, Name
from hetwin_core.ensemble.scenario import strict_yaml
from hetwin_core.episodes.expecting.bodies import Bodies, TaskNames
from hetwin_core.episodes.tables.rows import Status, Task
from hetwin_core.episodes.tables.tables import Tables

ANY_OPERATION = "*"
"""Key of the expectations of all operations that have none of their own."""


@cache
def default_expectations() -> Mapping[str, tuple[str, ...]]:
    """Return operation -> patterns of the events that it may cause, by default."""
    entries = strict_yaml.load(Path(__file__).with_name("defaults.yaml")).data
    return {
        operation: tuple(entry["expects"])
        for entry in entries
        for operation in entry["operations"].split()
    }


BEFORE_NS = 200_000_000
"""Maximum time by which effects of a task may precede its start [ns]."""
AFTER_NS = 500_000_000
"""Maximum time by which effects of a task may follow its end [ns]."""
_SYMMETRIC = ("collision", "collision_end", "contact")
_HAND = "hand"
_SURFACES = ("target", "support", "container")
"""Roles that no link of a robot can have."""


class Expectations:
    """The events that the tasks of an episode may cause.

    The innermost tasks decide, each by its operation: by the scenario's ``expects``, else by the defaults. For an
    unknown operation, the nearest ancestor with a known one decides, else ``*``. If the deciding task names no
    entities, the patterns' roles match any.

    Args:
        tables: tables of the episode.
    """

    def __init__(self, tables: Tables) -> None:
        self.bodies = Bodies(tables.layout)
        self.named = TaskNames(tables.tasks, self.bodies)
        self._tasks = tables.tasks
        self._scenario_patterns = {name: tuple(texts) for name, texts in tables.expects.items()}
        self._begins = np.array([task.span.from_ns for task in self._tasks], np.int64)
        self._ends = np.array([task.span.to_ns for task in self._tasks], np.int64)
        self._started = np.array([task.status is not Status.CREATED for task in self._tasks], bool)

    @cached_property
    def _patterns(self) -> dict[str, tuple[EventPattern, ...]]:
        """Operation -> patterns of its possible events; computed on first use, because most episodes do not need it."""
        return {
            name: tuple(map(EventPattern.from_text, texts))
            for name, texts in {**default_expectations(), **self._scenario_patterns}.items()
        }

    def active(self, time_ns: int, before_ns: int = 0, after_ns: int = 0) -> list[Task]:
        """Return the tasks in progress at a time, by start time.

        Args:
            time_ns: the time.
            before_ns: a task counts from this time before its start [ns].
            after_ns: a task counts until this time after its end [ns].
        """
        if not len(self._begins):
            return []
        is_active = (self._begins <= time_ns + before_ns) & (self._ends + after_ns > time_ns)
        return [self._tasks[row] for row in np.flatnonzero(is_active & self._started).tolist()]

    def innermost(self, time_ns: int, before_ns: int = 0, after_ns: int = 0) -> list[Task]:
        """Return the tasks among `active` without a subtask among them."""
        tasks = self.active(time_ns, before_ns, after_ns)
        ancestors = {up.id for task in tasks for up in self.named.lineage(task) if up is not task}
        return [task for task in tasks if task.id not in ancestors]

    def near(self, time_ns: int) -> list[Task]:
        """Return the innermost tasks that may have an effect at a time."""
        return self.innermost(time_ns, BEFORE_NS, AFTER_NS)

    def expects(self, name: str, arguments: Mapping[str, Json], time_ns: int) -> bool | None:
        """Return whether an event was expected when it happened; None if no task was in progress.

        Args:
            name: name of the event, e.g. ``collision``.
            arguments: its arguments, in their order.
            time_ns: its time.
        """
        tasks = self.near(time_ns)
        if not tasks:
            return None
        return any(self.of(task, name, arguments) for task in tasks)

    def of(self, task: Task, name: str, arguments: Mapping[str, Json]) -> bool:
        """Return whether a task may cause an event."""
        values = list(arguments.values())
        orders = [values, values[1::-1]] if name in _SYMMETRIC and len(values) == 2 else [values]
        return any(
            pattern.name == name and any(self._fits(pattern, order, task) for order in orders)
            for pattern in self._deciding_patterns(task)
        )

    def may(self, task: Task, name: str) -> bool:
        """Return whether a task may cause events of a name, with any arguments."""
        return any(pattern.name == name for pattern in self._deciding_patterns(task))

    def deciding(self, task: Task) -> Task | None:
        """Return the task whose operation decides the expectations of a task; None: `ANY_OPERATION` decides."""
        return next((t for t in self.named.lineage(task) if t.operation in self._patterns), None)

    def _deciding_patterns(self, task: Task) -> tuple[EventPattern, ...]:
        deciding = self.deciding(task)
        return self._patterns[ANY_OPERATION if deciding is None else deciding.operation]

    def _fits(self, pattern: EventPattern, values: Sequence[Json], task: Task) -> bool:
        if pattern.arguments is None:
            return True
        if len(pattern.arguments) > len(values):
            return False
        pairs = zip(pattern.arguments, values, strict=False)
        return all(self._is_wanted(wanted, value, task) for wanted, value in pairs)

    def _is_wanted(self, wanted: ArgumentPattern, value: Json, task: Task) -> bool:
        match wanted:
            case Literal(entity):
                return value in self.bodies.stands_for(str(entity))
            case Name(role) if role == ANY:
                return True
        names = self._role_entities(wanted.name, task)
        if names is None:
            return wanted.name not in _SURFACES or value not in self.bodies.links
        return any(value in self.bodies.stands_for(name) for name in names)

    def _role_entities(self, role: str, task: Task) -> Sequence[str] | None:
        """Return the entities with a role; None if any may have it."""
        found = self.named.role(task, role)
        if found:
            return found
        if role in self.bodies or role == "robot":
            return (role,)
        if role == _HAND:
            return self.bodies.hands or None
        return self.named.objects(task) or None if role == "object" else None
