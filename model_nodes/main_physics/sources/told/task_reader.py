"""Turns hetwin/msg/Task into events."""

from __future__ import annotations

from typing import Any

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.tasks import TaskFields, task_event

_TEXTS = ("id", "parent", "operation", "goal", "status", "reason", "variables")
_OF_ONE_MESSAGE = ("id", "status", "reason")


class TaskReader:
    """Reads the tasks of one topic; what a message leaves out is as in the one before of that task."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._known: dict[str, TaskFields] = {}

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the event of a change of status.

        Raises:
            ValueError: if the message has no id, or its status or its variables cannot be used.
        """
        texts = {name: str(getattr(message, name)) for name in _TEXTS}
        fields = self._completed(TaskFields(**texts, after=tuple(map(str, message.after))))
        event = task_event(fields, time_ns, self._topic)
        self._known[fields.id] = fields
        return [event]

    def _completed(self, said: TaskFields) -> TaskFields:
        before = self._known.get(said.id)
        if before is None:
            return said
        kept = {
            name: value
            for name, value in before._asdict().items()
            if name not in _OF_ONE_MESSAGE and not getattr(said, name)
        }
        return said._replace(**kept)
