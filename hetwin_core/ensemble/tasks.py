"""Tasks of the robot's program: the fields of ``hetwin/msg/Task``, and the event of a change of status."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from hetwin_core.ensemble.events import (
    Event,
    EventKind,
    Json,
    arguments_from_text,
    arguments_to_text,
)
from hetwin_core.ensemble.nearest import one_of


class Status(StrEnum):
    """The status of a task."""

    CREATED = "created"
    ACTIVE = "active"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TaskFields(NamedTuple):
    """The fields of the message, without its stamp.

    A later message of a task may omit fields of an earlier one; events and the log are complete.

    Attributes:
        id: unique in the episode.
        parent: the task that it is a part of.
        after: tasks that must end before it begins.
        operation: e.g. ``place``.
        goal: an expression, e.g. ``on("box", "tray")``.
        status: one of `Status`.
        reason: why it failed.
        variables: a JSON object, or empty.
    """

    id: str
    parent: str = ""
    after: tuple[str, ...] = ()
    operation: str = ""
    goal: str = ""
    status: str = ""
    reason: str = ""
    variables: str = ""


def task_event(fields: TaskFields, time_ns: int, source: str) -> Event:
    """Return the event of a message: its name is the operation, or the task's id; the fields are its arguments.

    Args:
        fields: fields of the message.
        time_ns: time of the change of status.
        source: name of the reporter.

    Raises:
        ValueError: if there is no id, or the status or the variables cannot be used.
    """
    if not fields.id:
        raise ValueError("the task has no id")
    if fields.status not in set(Status):
        raise ValueError(
            f"status {fields.status!r} of task {fields.id}; expected {_expected(fields.status)}"
        )
    try:
        variables = arguments_from_text(fields.variables)
    except ValueError as error:
        raise ValueError(f"the variables of task {fields.id}: {error}") from None
    arguments: dict[str, Json] = {
        **fields._asdict(),
        "after": list(fields.after),
        "variables": variables,
    }
    return Event(fields.operation or fields.id, time_ns, EventKind.TASK, source, 0, arguments)


def task_fields(event: Event) -> TaskFields:
    """Return the fields of a task from its event; the inverse of `task_event`."""
    arguments = event.arguments
    after, variables = arguments.get("after"), arguments.get("variables")
    return TaskFields(
        **{name: str(arguments.get(name, "")) for name in _TEXTS},
        after=tuple(map(str, after)) if isinstance(after, list) else (),
        variables=arguments_to_text(variables) if isinstance(variables, dict) and variables else "",
    )


class TaskMessages:
    """Reads decoded ``hetwin/msg/Task`` messages, from any decoder.

    Omitted fields are taken from the previous message of the task.
    """

    def __init__(self) -> None:
        self._known: dict[str, TaskFields] = {}

    def event(self, message: Any, time_ns: int, source: str) -> Event:
        """Return the event of a message.

        Raises:
            ValueError: if it has no id, or its status or its variables cannot be used.
        """
        texts = {name: str(getattr(message, name)) for name in (*_TEXTS, "variables")}
        fields = self._with_inherited(TaskFields(**texts, after=tuple(map(str, message.after))))
        event = task_event(fields, time_ns, source)
        self._known[fields.id] = fields
        return event

    def _with_inherited(self, fields: TaskFields) -> TaskFields:
        previous = self._known.get(fields.id)
        if previous is None:
            return fields
        kept = {
            name: value
            for name, value in previous._asdict().items()
            if name not in _NOT_INHERITED and not getattr(fields, name)
        }
        return fields._replace(**kept)


def _expected(status: str) -> str:
    return one_of(status, [known.value for known in Status])


_TEXTS = ("id", "parent", "operation", "goal", "status", "reason")
_NOT_INHERITED = ("id", "status", "reason")
