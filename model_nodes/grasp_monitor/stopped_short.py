"""Fingers that close and stop short of their end without an object of the scene between them."""

from __future__ import annotations

from dataclasses import dataclass

from hetwin_core.ensemble.concern_words import CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING
from hetwin_core.ensemble.events import Event
from model_nodes.grasp_monitor.fingers import FingerMotion

PRESSES = 1.5
"""Fingers that stand press on something if their effort is this many times what it was while they closed."""
CLEARLY, LEAST = 5.0, 0.1
"""They also do with less effort than a hand's threshold, if it is this many times what it was while they closed and
while they stood open, and at least this share of the threshold: efforts may have other units than the threshold."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds, see the parameters of the model of the same names; shares of the travel, N or Nm, times in ns."""

    min_closing: float
    closed_margin: float
    release_opening: float
    press_effort: float
    settle_ns: int


class StoppedShort:
    """Follows the fingers of one hand while nothing of the scene is in its grip.

    A hand whose fingers stand between their ends when the run begins may have closed on something before.

    Args:
        hand: its name.
        fingers: their motion.
        limits: thresholds.
    """

    def __init__(self, hand: str, fingers: FingerMotion, limits: Limits) -> None:
        self._hand, self._fingers, self._limits = hand, fingers, limits
        self._most_open: float | None = None
        self._last = 0.0
        self._free_effort: float | None = None
        self._open_effort: float | None = None
        self._stopped_at: float | None = None
        self._has_efforts = False

    def update(self, time_ns: int, effort: float | None, *, holds: bool) -> list[Event]:
        """Look at the fingers; returns what has happened to them.

        Args:
            time_ns: simulated time.
            effort: mean of the sizes of the finger joints' efforts; None if they are not known [N or Nm].
            holds: whether an object of the scene is between the fingers.
        """
        fingers, limits = self._fingers, self._limits
        begins = self._most_open is None
        self._most_open = min(self._most_open or fingers.closing, fingers.closing)
        if effort is not None and not begins:
            self._note(effort, self._most_open + limits.min_closing)
        self._last = fingers.closing
        self._has_efforts |= bool(effort)  # those that were not recorded are 0
        ends = fingers.farthest >= 1.0 - limits.closed_margin
        if self._stopped_at is not None:
            opened = self._stopped_at - fingers.closing >= limits.release_opening
            self._stopped_at = max(self._stopped_at, fingers.closing)
            if not (opened or ends or holds):
                return []
            self._stopped_at, self._most_open = None, fingers.closing
            because = "it opened" if opened else "it holds an object" if holds else "it closed"
            return [self._event(LET_GO_OF_SOMETHING, time_ns, because=because)]
        still = time_ns - fingers.still_since_ns >= limits.settle_ns
        least = limits.min_closing if begins else self._most_open + limits.min_closing
        if holds or ends or fingers.closing < least or not (still or begins):
            return []
        if effort is not None and self._has_efforts and not self._presses(effort):
            return []
        self._stopped_at = fingers.closing
        since_ns = fingers.still_since_ns
        event = self._event(CLOSED_ON_SOMETHING, since_ns, closing=fingers.closing, gap=fingers.gap)
        return [event]

    def _note(self, effort: float, open_until: float) -> None:
        """Note an effort of fingers that close, or stand open."""
        if self._fingers.closing > self._last:
            known = effort if self._free_effort is None else self._free_effort
            self._free_effort = min(effort, known)
        elif self._fingers.closing <= open_until:
            self._open_effort = max(effort, self._open_effort or 0.0)

    def _presses(self, effort: float) -> bool:
        """Whether fingers that stand press on something, as far as their efforts say."""
        if self._free_effort is None:
            return effort >= self._limits.press_effort
        least, free = self._limits.press_effort, self._free_effort
        if effort >= max(least, PRESSES * free):
            return True
        if self._open_effort is None:
            return False
        return effort >= max(LEAST * least, CLEARLY * max(free, self._open_effort))

    def _event(self, name: str, time_ns: int, **arguments: float | str) -> Event:
        return Event(name, time_ns, arguments={"hand": self._hand, **arguments})
