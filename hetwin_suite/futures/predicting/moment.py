"""The moment of a run from which futures go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hetwin_core.ensemble.annotations import phase_of
from hetwin_core.ensemble.events import Event, EventKind

BEGUN = ("begin", "instant")


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment that is still to come: a simulated time, or the begin of an action.

    Attributes:
        at_s: the first barrier at or after this time [s]; None if an action says it.
        before: name of the operation whose first begin it is; empty if a time says it.
    """

    at_s: float | None = None
    before: str = ""

    def is_now(self, time_ns: int, events: Sequence[Event]) -> bool:
        """Whether it has come.

        Args:
            time_ns: of the barrier.
            events: that were handled since the last one.
        """
        if self.at_s is not None:
            return time_ns >= round(self.at_s * 1e9)
        return self.action(events) is not None

    def action(self, events: Sequence[Event]) -> Event | None:
        """Return the begin of the action that makes it; None if a time does, or the action has not begun."""
        begun = (
            event
            for event in events
            if event.kind is EventKind.ACTION
            and event.name == self.before
            and phase_of(event) in BEGUN
        )
        return next(begun, None)
