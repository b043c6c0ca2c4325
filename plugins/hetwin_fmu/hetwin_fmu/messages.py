"""Log messages of an FMU."""

from __future__ import annotations

from dataclasses import dataclass

_WORDS = ("info", "warning", "discard", "error", "fatal", "pending")
MAX_MESSAGES = 20
"""Maximum number of reported messages per run, unless verbose; an FMU may log at every step."""


@dataclass(frozen=True, slots=True)
class Message:
    """A log message of an FMU: level, category and text."""

    level: str
    category: str
    text: str


class Messages:
    """Collects the log messages of an FMU; messages may arrive from any thread.

    Args:
        verbose: whether all messages are reported; otherwise only the first `MAX_MESSAGES` about problems.
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
        """Logger callback of FMI 2."""
        self.log3(component, status, category, text)

    def log3(
        self, environment: object, status: int, category: bytes | None, text: bytes | None
    ) -> None:
        """Logger callback of FMI 3."""
        level = _WORDS[status] if 0 <= status < len(_WORDS) else f"status {status}"
        message = Message(level, _text(category), _text(text))
        if status:
            self._last_wrong = message.text
        elif not self._verbose:
            return
        self._count += 1
        if self._verbose or self._count <= MAX_MESSAGES:
            self._new.append(message)
        elif self._count == MAX_MESSAGES + 1:
            self._new.append(Message("warning", "", "further messages are not shown"))

    def take(self) -> list[Message]:
        """Return the messages since the last call."""
        new, self._new = self._new, []
        return new

    @property
    def last_words(self) -> str:
        """The last message about a problem, as the end of a sentence; without one, a hint to the option `verbose`."""
        if self._last_wrong:
            return f": {self._last_wrong}"
        return "" if self._verbose else ", without a message; with verbose: true it may say why"


def _text(found: bytes | None) -> str:
    """Decode a text and put it on one line."""
    return " ".join((found or b"").decode("utf-8", "replace").split())
