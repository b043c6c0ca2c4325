"""Motions whose sender waits for the end: what becomes of each."""

from __future__ import annotations

import threading
from enum import StrEnum
from typing import NamedTuple


class GoalEnd(StrEnum):
    """How a goal ended."""

    REACHED = "reached"
    REPLACED = "replaced"
    """Its controller got another motion."""
    CANCELED = "canceled"
    REFUSED = "refused"


class Outcome(NamedTuple):
    """How a goal ended, and the reason in words; empty if it was reached."""

    end: GoalEnd
    reason: str = ""


class Goals:
    """The goals of all controllers by their numbers; asked by one thread, and ended by another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, tuple[int, float]] = {}
        self._outcomes: dict[int, Outcome] = {}

    def begin_motion(self, controller: str, number: int, end: float) -> None:
        """Take note that a controller has a new motion.

        Args:
            controller: its name; the goal that it had is replaced.
            number: of the goal; 0: nothing waits for it.
            end: when the motion ends [s].
        """
        with self._lock:
            former = self._running.pop(controller, None)
            if former is not None:
                self._outcomes[former[0]] = Outcome(
                    GoalEnd.REPLACED, f"{controller} got another motion"
                )
            if number:
                self._running[controller] = number, end

    def refuse(self, number: int, reason: str) -> None:
        """Take note that a goal was refused."""
        with self._lock:
            if number:
                self._outcomes[number] = Outcome(GoalEnd.REFUSED, reason)

    def cancel(self, controller: str, number: int) -> bool:
        """Give up a goal; returns whether it was still on its way."""
        with self._lock:
            if self._running.get(controller, (0, 0.0))[0] != number:
                return False
            del self._running[controller]
            self._outcomes[number] = Outcome(GoalEnd.CANCELED, "it was canceled")
            return True

    def note_time(self, time: float) -> None:
        """Take note that a time [s] has come, by which some may have been reached."""
        if not self._running:
            return
        with self._lock:
            for controller, (number, end) in list(self._running.items()):
                if time >= end:
                    del self._running[controller]
                    self._outcomes[number] = Outcome(GoalEnd.REACHED)

    def take(self, number: int) -> Outcome | None:
        """Return how a goal ended, once; None: it has not."""
        with self._lock:
            return self._outcomes.pop(number, None)
