"""Terminates a query that exceeds its time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from hetwin_suite.command import HetwinError

GRACE_S = 2.0
"""Time for an interrupted query to end; some functions of DuckDB ignore the interruption [s]."""


class QueryTimeout(HetwinError):
    """A query did not end within its time; the command's exit code is 3."""

    exit_code = 3

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the query did not end within {seconds:g} s; expected a faster query, or more time with --within"
        )


class Deadline:
    """Interrupts a query at its deadline.

    Args:
        seconds: maximum wall time of the query [s].
        interrupt: called at the deadline, from another thread.
        on_stuck: called with the error if the query does not end after the interruption; None: wait for its end.
    """

    def __init__(
        self,
        seconds: float,
        interrupt: Callable[[], object],
        on_stuck: Callable[[QueryTimeout], object] | None = None,
    ) -> None:
        self.error = QueryTimeout(seconds)
        self._seconds = min(seconds, threading.TIMEOUT_MAX)
        self._interrupt = interrupt
        self._on_stuck = on_stuck
        self._ended = threading.Event()
        self._passed = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def has_passed(self) -> bool:
        """Whether the deadline has passed."""
        return self._passed.is_set()

    def _watch(self) -> None:
        if self._ended.wait(self._seconds):
            return
        self._passed.set()
        self._interrupt()
        if not self._ended.wait(GRACE_S) and self._on_stuck is not None:
            self._on_stuck(self.error)
