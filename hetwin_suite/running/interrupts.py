"""SIGINT and SIGTERM during a run: the first ends it in order, the second at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any, Self

from hetwin_core.ensemble.supervision.watched_child import TERMINATING


def _do_nothing(_count: int) -> None:
    """The count is read later."""


class Interrupts:
    """Counts SIGINT and SIGTERM while it is entered, instead of what they did before.

    Python lets only the main thread set handlers; in any other, nothing changes and nothing is counted.

    Args:
        then: called in the handler with the count so far, 1 at the first signal.

    Attributes:
        count: how many there were.
        first: the number of the first; None if there was none.
    """

    def __init__(self, then: Callable[[int], None] = _do_nothing) -> None:
        self._then = then
        self._before: dict[signal.Signals, Any] = {}
        self.count = 0
        self.first: int | None = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {s: signal.signal(s, self._count) for s in TERMINATING}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _count(self, number: int, _frame: object) -> None:
        self.count += 1
        self.first = self.first or number
        self._then(self.count)
