"""What a unit logs."""

from __future__ import annotations

from dataclasses import dataclass

_WORDS = ("info", "warning", "discard", "error", "fatal", "pending")
MOST = 20
"""How many messages of one run are passed on, unless all are wanted; units may log at every step."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a unit: its level in words, its category, and its text."""

    level: str
    category: str
    text: str


class Messages:
    """Collects what a unit logs, from whatever thread it does so.

    Args:
        most: how many are passed on; None: all.
    """

    def __init__(self, most: int | None = MOST) -> None:
        self._most = most
        self._new: list[Message] = []
        self._last_wrong = ""
        self._count = 0

    def log2(
        self,
        component: object,
        instance: bytes | None,
        status: int,
        category: bytes | None,
        text: bytes | None,
    ) -> None:
        """Take a message of a unit of FMI 2."""
        self.log3(component, status, category, text)

    def log3(
        self, environment: object, status: int, category: bytes | None, text: bytes | None
    ) -> None:
        """Take a message of a unit of FMI 3."""
        level = _WORDS[status] if 0 <= status < len(_WORDS) else f"status {status}"
        message = Message(level, _text(category), _text(text))
        if status:
            self._last_wrong = message.text
        self._count += 1
        if self._most is None or self._count <= self._most:
            self._new.append(message)
        elif self._count == self._most + 1:
            self._new.append(Message("warning", "", "further messages are not shown"))

    def take(self) -> list[Message]:
        """The messages since the last call."""
        new, self._new = self._new, []
        return new

    @property
    def last_words(self) -> str:
        """The last message about something wrong, as the end of a sentence; empty if there is none."""
        return f": {self._last_wrong}" if self._last_wrong else ""


def _text(found: bytes | None) -> str:
    return (found or b"").decode("utf-8", "replace").strip()
