"""Holds a run between two steps, and allows single steps."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hetwin_core.ensemble.errors import Refused


class Pause:
    """Whether a run is paused; may be used from any thread.

    Attributes:
        left: how many steps may be taken before it holds; None: it is not paused.
        waiting: whether the run waits at this moment.
        steps_allowed: how many single steps the run has taken while it was paused.
        held_s: wall time that the run has waited, in seconds.
        until_event: whether the run is to be held again at the next step in which an event happens.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.left: int | None = None
        self.until_event = False
        self._is_stepping = False
        self.waiting = False
        self.steps_allowed = 0
        self.held_s = 0.0

    @property
    def is_off(self) -> bool:
        """Whether the run is not paused."""
        return self.left is None

    @property
    def holds(self) -> bool:
        """Whether the next step has to wait."""
        return self.left == 0

    @property
    def stands(self) -> bool:
        """Whether the run waits, or takes some single steps after which it waits again."""
        return self.waiting or self._is_stepping

    def hold(self) -> None:
        """Hold the run before its next step."""
        with self._lock:
            self.left = 0
            self.until_event = self._is_stepping = False

    def resume(self) -> None:
        """Let the run continue."""
        with self._lock:
            self.left = None
            self.until_event = self._is_stepping = False

    def allow(self, steps: int | None, *, further: bool = False) -> None:
        """Let the run take some steps, then hold it again.

        Args:
            steps: how many; None: up to the next one in which an event happens.
            further: also while it takes those that were allowed before, after which it takes these.

        Raises:
            Refused: if the run is not held.
        """
        with self._lock:
            if self.left is None or (self.left and not further):
                raise Refused("only a paused run can be stepped")
            left = 0 if self.until_event else self.left
            self.until_event = steps is None
            self._is_stepping = steps is not None
            self.left = sys.maxsize if steps is None else left + steps

    def step_begins(self) -> None:
        """The run takes a step; it counts if it was allowed singly."""
        with self._lock:
            if self.left:
                self.left -= 1
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
