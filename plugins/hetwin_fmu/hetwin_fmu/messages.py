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
        verbose: whether all messages are passed on; else the first about something wrong.
    """

    def __init__(self, *, verbose: bool = False) -> None:
        self._verbose = verbose
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
        elif not self._verbose:
            return
        self._count += 1
        if self._verbose or self._count <= MOST:
            self._new.append(message)
        elif self._count == MOST + 1:
            self._new.append(Message("warning", "", "further messages are not shown"))

    def take(self) -> list[Message]:
        """The messages since the last call."""
        new, self._new = self._new, []
        return new

    @property
    def last_words(self) -> str:
        """The last message about something wrong, as the end of a sentence; else how there may be one."""
        if self._last_wrong:
            return f": {self._last_wrong}"
        return "" if self._verbose else ", without a message; with verbose: true it may say why"


def _text(found: bytes | None) -> str:
    """Text on one line."""
    return " ".join((found or b"").decode("utf-8", "replace").split())
