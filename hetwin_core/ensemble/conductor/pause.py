"""Holds a run between two steps, and allows single steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hetwin_core.ensemble.errors import Refused


class Pause:
    """Whether a run is paused; may be used from any thread.

    Attributes:
        waiting: whether the run waits at this moment.
        steps_allowed: how many single steps the run has taken while it was paused.
        held_s: wall time that the run has waited, in seconds.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: int | None = None
        self.waiting = False
        self.steps_allowed = 0
        self.held_s = 0.0

    @property
    def is_off(self) -> bool:
        """Whether the run is not paused."""
        return self._left is None

    @property
    def holds(self) -> bool:
        """Whether the next step has to wait."""
        return self._left == 0

    def begin(self) -> None:
        """Hold the run before its next step."""
        with self._lock:
            self._left = 0

    def end(self) -> None:
        """Let the run continue."""
        with self._lock:
            self._left = None

    def allow(self, steps: int) -> None:
        """Let the run take some steps, then hold it again.

        Raises:
            Refused: if the run is not held.
        """
        with self._lock:
            if self._left != 0:
                raise Refused("only a paused run can be stepped")
            self._left = steps

    def step_begins(self) -> None:
        """The run takes a step; it counts if it was allowed singly."""
        if self._left is None:
            return
        with self._lock:
            if self._left:
                self._left -= 1
                self.steps_allowed += 1

    @contextmanager
    def waiting_here(self) -> Iterator[None]:
        """The run waits as long as this context lasts."""
        begun = time.monotonic()
        self.waiting = True
        try:
            yield
        finally:
            self.waiting = False
            self.held_s += time.monotonic() - begun
