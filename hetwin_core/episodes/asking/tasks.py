"""The tasks of an episode, and values at a moment: of the scene, of beliefs, and of the tasks' variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.episodes.asking.answer import Evidence, of_belief, of_state, of_task
from hetwin_core.episodes.asking.names import FORCE, JOINTS, TWIST, Entities
from hetwin_core.episodes.asking.reading import StateReader
from hetwin_core.episodes.asking.sources import Beliefs
from hetwin_core.episodes.asking.terms import ANY, Argument, Atom, State, Term, Variable
from hetwin_core.episodes.expecting.bodies import lineage
from hetwin_core.episodes.tables.rows import Task
from hetwin_core.episodes.tables.tables import Tables


class TaskTree:
    """Tasks and their parts.

    Args:
        tasks: tasks of the episode, by start time.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.all = tuple(tasks)
        self._by_row = {task.row: task for task in tasks}
        self._by_id = {task.id: task for task in tasks}
        self._by_operation: dict[str, list[Task]] = {}
        for task in tasks:
            self._by_operation.setdefault(task.operation, []).append(task)

    def task(self, name: str) -> Task:
        """Return a task by its id, or by its operation if only one task has it.

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
        """Return the tasks of an operation, or all, by start time.

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
        """Return the task with this row number."""
        return self._by_row[row]

    def parent(self, task: Task) -> Task | None:
        """Return the task that another is a part of; None if there is none, or it is not in the log."""
        return next(self.above(task), None)

    def above(self, task: Task) -> Iterator[Task]:
        """Iterate over the ancestors of a task, the nearest first."""
        return islice(lineage(task, self._by_id), 1, None)

    def active(self, time_ns: int) -> list[Task]:
        """Return the tasks that were active at a moment, ends included, the last one started first."""
        found = [t for t in self.all if t.span.from_ns <= time_ns <= t.span.to_ns]
        return sorted(found, key=lambda t: (-t.span.from_ns, -len(list(self.above(t))), t.row))


MAX_LISTED = 12
"""Maximum number of listed ids."""


def _listed(name: str, ids: list[str]) -> str:
    text = one_of(name, ids)
    if len(ids) <= MAX_LISTED:
        return text
    _, _, near = text.partition(" (perhaps")
    return f"one of {', '.join(ids[:MAX_LISTED])} and {len(ids) - MAX_LISTED} more" + (
        f" (perhaps{near}" if near else ""
    )


LOC, CONTACT = "loc", "contact"


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A value and its evidence.

    Attributes:
        value: for a pose x y z [m], qw qx qy qz; None if unknown.
        evidence: the state in which it was measured, the belief, or the task.
    """

    value: Json
    evidence: tuple[Evidence, ...] = ()


NOT_KNOWN = MeasuredValue(None)


class Values:
    """Reads values at a moment.

    Args:
        tables: tables of the episode.
        entities: its entities.
        beliefs: evaluates beliefs.
        tree: the tasks.
    """

    def __init__(
        self, tables: Tables, entities: Entities, beliefs: Beliefs, tree: TaskTree
    ) -> None:
        self._tables = tables
        self._entities = entities
        self._beliefs = beliefs
        self._tree = tree
        self._states = StateReader(tables)

    def value(self, term: Term, time_ns: int) -> MeasuredValue:
        """Return a pose, an attribute, or the value of an expression on the state, at a moment.

        Raises:
            BadInput: if there is no such value.
        """
        if time_ns > self._tables.known_until_ns:
            return NOT_KNOWN
        if isinstance(term, State):
            value, evidence = self._states.value(term, time_ns)
            return MeasuredValue(value, (evidence,))
        if not isinstance(term, Atom) or not term.arguments:
            raise _no_value(term)
        entity, *others = term.arguments
        if term.name == FORCE and isinstance(entity, str) and len(others) <= 1:
            return self._force(entity, *others, time_ns=time_ns)
        if not isinstance(entity, str) or others:
            raise _no_value(term)
        if term.name in JOINTS:
            return self._joint_value(entity, term.name, time_ns)
        if term.name == TWIST:
            measured_ns, pose = self._tables.poses.at(self._entities.placed(entity), time_ns)
            return self._measured([float(n) for n in pose[7:]], measured_ns)
        if term.name == LOC:
            placed = self._entities.placed(entity)
            measured_ns, pose = self._tables.poses.at(placed, time_ns)
            return self._measured([float(n) for n in pose[:7]], measured_ns)
        return self._attribute(self._entities.known(entity), term.name, time_ns)

    def believed_pose(self, entity: str, time_ns: int) -> MeasuredValue:
        """Return the pose that the robot believed an entity to have at a moment; unknown before its first report.

        Raises:
            BadInput: if there is no such entity.
        """
        row = self._beliefs.pose(self._entities.known(entity), time_ns)
        if row is None or row.pose is None or time_ns > self._tables.known_until_ns:
            return NOT_KNOWN
        return MeasuredValue(list(row.pose), (of_belief(row),))

    def variable(self, name: str, time_ns: int, task: Task | None = None) -> MeasuredValue:
        """Return a variable of the robot's program at a moment, from the innermost task that has it then.

        Args:
            name: name of the variable.
            time_ns: the moment.
            task: task to search first, then its ancestors; None: all active tasks.

        Raises:
            BadInput: if no task ever has such a variable.
        """
        candidates = self._tree.active(time_ns) if task is None else [task, *self._tree.above(task)]
        for each in candidates:
            then = each.variables_at(time_ns)
            if name in then:
                return MeasuredValue(then[name], (of_task(each),))
        known = {key for each in self._tree.all for key in each.variables}
        if name not in known:
            raise BadInput("unknown variable", found=name, expected=one_of(name, sorted(known)))
        return NOT_KNOWN

    def _joint_value(self, joint: str, name: str, time_ns: int) -> MeasuredValue:
        """Return the position, velocity or effort of a joint."""
        layout, attribute = self._tables.layout, JOINTS[name]
        for robot in layout.of_kind(EntityKind.ROBOT):
            if joint in robot.joints and layout.has(robot.name, attribute):
                measured_ns, data = self._tables.poses.value(robot.name, attribute, time_ns)
                return self._measured(float(data[robot.joints.index(joint)]), measured_ns)
        joints = [joint for robot in layout.of_kind(EntityKind.ROBOT) for joint in robot.joints]
        raise BadInput("unknown joint", where=name, found=joint, expected=one_of(joint, joints))

    def _force(self, one: str, other: Argument = ANY, *, time_ns: int) -> MeasuredValue:
        """Return the contact force on an entity from another one, or from all [N]."""
        scene = self._tables.poses.snapshot(time_ns)
        rows = scene.proximity
        first, second = (self._indices(name) for name in (one, other))
        selected = np.isin(rows[:, 0], first) & np.isin(rows[:, 1], second)
        if not selected.any():  # rows contain only the forces on their first entity
            selected, rows = np.isin(rows[:, 1], first) & np.isin(rows[:, 0], second), -rows
        total = rows[selected, 9:12].sum(axis=0)
        return self._measured([float(n) + 0.0 for n in total], scene.time_ns)

    def _indices(self, argument: Argument) -> list[int]:
        """Return the indices of the entities that an argument means in contacts."""
        layout = self._tables.layout
        if isinstance(argument, Variable):
            return list(range(len(layout.entities)))
        return [layout.entity_id(name) for name in self._entities.meant(argument, CONTACT)]

    def _attribute(self, entity: str, name: str, time_ns: int) -> MeasuredValue:
        layout = self._tables.layout
        if not layout.has(entity, name):
            own = sorted(slot.attribute.name for slot in layout.slots if slot.entity == entity)
            raise BadInput(
                "this entity has no such attribute",
                where=entity,
                found=name,
                expected=one_of(name, own),
            )
        measured_ns, data = self._tables.poses.value(entity, name, time_ns)
        numbers = [float(n) for n in data]
        return self._measured(numbers[0] if len(numbers) == 1 else list(numbers), measured_ns)

    def _measured(self, value: Json, measured_ns: int) -> MeasuredValue:
        return MeasuredValue(value, (of_state(self._tables.poses.row(measured_ns), measured_ns),))


def _no_value(term: Term) -> BadInput:
    return BadInput(
        "this term has no value",
        found=str(term),
        expected='loc("box"), twist("box"), effort("joint"), contact_force("box", "table"), an attribute such as '
        'temperature("cup"), or an expression on the state',
    )
