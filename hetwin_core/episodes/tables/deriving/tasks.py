"""Tasks, from the messages of the robot's program and from its action annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hetwin_core.ensemble.events import RESULT, Json, arguments_from_text
from hetwin_core.episodes.derived import begun_by
from hetwin_core.episodes.messages import nanoseconds
from hetwin_core.episodes.tables.rows import Interval, Status, Task

_ENDED = (Status.DONE, Status.FAILED, Status.CANCELLED)
_PHASE = "phase"
_BY_PHASE = {"begin": Status.ACTIVE, "end": Status.DONE, "instant": Status.DONE}
_BY_RESULT = {"aborted": Status.FAILED, "failure": Status.FAILED, "canceled": Status.CANCELLED}
_TASK_KEYS = {"task", "parent", "after", "goal", "status", "reason", "variables", _PHASE}


@dataclass(slots=True, eq=False)
class _Draft:
    """A task as far as it is known; one without an id gets the id `operation.N`."""

    row: int
    operation: str
    id: str = ""
    parent: str = ""
    after: tuple[str, ...] = ()
    goal: str = ""
    reason: str = ""
    settings: list[tuple[int, dict[str, Json]]] = field(default_factory=list)
    history: list[tuple[int, Status]] = field(default_factory=list)
    phases: dict[str, Json] = field(default_factory=dict)


class TaskBook:
    """Collects the messages of a robot's program about its tasks.

    Action annotations with a ``task`` count as messages about it: ``begin`` as active, ``end`` as done, unless they
    have a ``status``. Annotations without a task become tasks of their own, from ``begin`` on.
    """

    def __init__(self) -> None:
        self._drafts: list[_Draft] = []
        self._named: dict[str, _Draft] = {}
        self._running: list[_Draft] = []

    def message(self, message: Any) -> None:
        """Add a ``hetwin/msg/Task``.

        Raises:
            ValueError: if its status or its variables cannot be used.
        """
        draft = self._draft(message.id, message.operation)
        draft.parent = message.parent or draft.parent
        draft.after = tuple(message.after) or draft.after
        draft.goal = message.goal or draft.goal
        draft.reason = message.reason or draft.reason
        time_ns = nanoseconds(message.stamp)
        _set_variables(draft, time_ns, arguments_from_text(message.variables))
        self._add_status(draft, time_ns, Status(message.status))

    def annotation(self, operation: str, time_ns: int, arguments: Mapping[str, Json]) -> None:
        """Add an action annotation, whose phase is among its arguments.

        Raises:
            ValueError: if its status cannot be used.
        """
        if not arguments.get("task"):
            self._pair(operation, time_ns, arguments)
            return
        draft = self._draft(str(arguments["task"]), operation)
        draft.parent = str(arguments.get("parent") or draft.parent)
        draft.after = _ids(arguments.get("after")) or draft.after
        draft.goal = _goal(arguments.get("goal")) or draft.goal
        draft.reason = str(arguments.get("reason") or draft.reason)
        variables = arguments.get("variables")
        _set_variables(draft, time_ns, {k: v for k, v in arguments.items() if k not in _TASK_KEYS})
        _set_variables(draft, time_ns, variables if isinstance(variables, dict) else {})
        status = arguments.get("status")
        phase = str(arguments.get(_PHASE, "instant"))
        self._add_status(draft, time_ns, Status(str(status)) if status else _BY_PHASE[phase])

    def tasks(self, until_ns: int) -> tuple[Task, ...]:
        """Return all tasks mentioned up to a time, ordered by their start."""
        taken = set(self._named)
        counts: Counter[str] = Counter()
        found = []
        for draft in self._drafts:
            name = draft.id or _free_id(draft.operation, counts, taken)
            history = tuple(entry for entry in draft.history if entry[0] <= until_ns)
            if history:
                found.append(_task(draft, name, history, until_ns))
        return tuple(sorted(found, key=lambda task: (task.span.from_ns, task.row)))

    def _draft(self, name: str, operation: str) -> _Draft:
        draft = self._named.get(name)
        if draft is None:
            draft = self._named[name] = self._new(operation)
            draft.id = name
        draft.operation = operation or draft.operation
        return draft

    def _new(self, operation: str) -> _Draft:
        draft = _Draft(len(self._drafts), operation)
        self._drafts.append(draft)
        return draft

    @staticmethod
    def _add_status(draft: _Draft, time_ns: int, status: Status) -> None:
        if not draft.history or draft.history[-1][1] is not status:
            draft.history.append((time_ns, status))

    def _pair(self, operation: str, time_ns: int, arguments: Mapping[str, Json]) -> None:
        """Add a phase of an annotation without a task; an end belongs to the most similar beginning."""
        phase = arguments.get(_PHASE)
        others = {key: value for key, value in arguments.items() if key != _PHASE}
        if phase == "begin":
            draft = self._new(operation)
            draft.phases = others
            _set_variables(draft, time_ns, others)
            draft.history.append((time_ns, Status.ACTIVE))
            self._running.append(draft)
        elif phase == "end":
            started = begun_by(self._running, lambda d: (d.operation, d.phases), operation, others)
            if started is not None:
                status = _BY_RESULT.get(str(others.get(RESULT)), Status.DONE)
                started.history.append((time_ns, status))
                self._running.remove(started)


def _set_variables(draft: _Draft, time_ns: int, variables: Mapping[str, Json]) -> None:
    """Record the values of variables from a time on."""
    if variables:
        draft.settings.append((time_ns, dict(variables)))


def _free_id(operation: str, counts: Counter[str], taken: set[str]) -> str:
    while True:
        counts[operation] += 1
        name = f"{operation}.{counts[operation]}"
        if name not in taken:
            return name


def _task(draft: _Draft, name: str, history: tuple[tuple[int, Status], ...], until_ns: int) -> Task:
    active = [time_ns for time_ns, status in history if status is Status.ACTIVE]
    from_ns = active[0] if active else history[0][0]
    last_ns, status = history[-1]
    settings = sorted((s for s in draft.settings if s[0] <= until_ns), key=lambda s: s[0])
    return Task(
        row=draft.row,
        id=name,
        parent=draft.parent,
        after=draft.after,
        operation=draft.operation,
        goal=draft.goal,
        status=status,
        reason=draft.reason,
        variables={key: value for _, values in settings for key, value in values.items()},
        span=Interval(from_ns, last_ns if status in _ENDED else until_ns),
        history=history,
        settings=tuple(settings),
    )


def _ids(value: Json) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(item) for item in value)
    return tuple(str(value).replace(",", " ").split()) if value else ()


def _goal(value: Json) -> str:
    """A task's goal, if it is a fluent; other texts, such as ``closed`` for fingers in recordings, are ignored."""
    text = value if isinstance(value, str) else ""
    return text if "(" in text else ""
