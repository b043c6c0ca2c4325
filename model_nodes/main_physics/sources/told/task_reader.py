"""Turns hetwin/msg/Task into events."""

from __future__ import annotations

from typing import Any

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.tasks import TaskMessages


class TaskReader:
    """Reads the tasks of one topic."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._messages = TaskMessages()

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the event of a change of status.

        Raises:
            ValueError: if the message has no id, or its status or its variables cannot be used.
        """
        return [self._messages.event(message, time_ns, self._topic)]
