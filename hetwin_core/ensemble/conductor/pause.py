"""Holds a run between two steps, and lets single steps through."""

from __future__ import annotations

import threading

from hetwin_core.ensemble.errors import Refused


class Gate:
    """Open, or closed until it is opened or lets some steps through; may be used from any thread.

    Attributes:
        waiting: set by the run while it stands before the gate.
        through: how many steps it has let through one by one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: int | None = None
        self.waiting = False
        self.through = 0

    @property
    def is_open(self) -> bool:
        """Whether nothing holds the run."""
        return self._left is None

    @property
    def holds(self) -> bool:
        """Whether the next step has to wait."""
        return self._left == 0

    def close(self) -> None:
        """Hold the run before its next step."""
        with self._lock:
            self._left = 0

    def open(self) -> None:
        """Let the run go on."""
        with self._lock:
            self._left = None

    def let_through(self, steps: int) -> None:
        """Let some steps through, then hold again.

        Raises:
            Refused: if the gate does not hold.
        """
        with self._lock:
            if self._left != 0:
                raise Refused("only a paused run can be stepped")
            self._left = steps

    def passed(self) -> None:
        """A step goes through."""
        if self._left is None:
            return
        with self._lock:
            if self._left:
                self._left -= 1
                self.through += 1
