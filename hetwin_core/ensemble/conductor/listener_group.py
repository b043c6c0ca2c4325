"""Telling several listeners at once; what they cannot do ends the run with words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hetwin_core.ensemble.conductor.listener import Handover, RunListener, RunStart, RunSummary
from hetwin_core.ensemble.errors import HetwinError, RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.snapshot import Snapshot


class Listeners:
    """All who follow a run, in order."""

    def __init__(self, listeners: Sequence[RunListener]) -> None:
        self._listeners = tuple(listeners)
        self._time_ns = 0

    def started(self, start: RunStart) -> None:
        """Tell that the run begins."""
        self._tell("started", lambda listener: listener.started(start))

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Tell that a step is complete."""
        self._time_ns = scene.time_ns
        try:
            for listener in self._listeners:
                listener.stepped(step, scene)
        except HetwinError:
            raise
        except Exception as error:
            raise self._failure("stepped", error) from error

    def event(self, event: Event) -> None:
        """Tell of an event."""
        self._tell("event", lambda listener: listener.event(event))

    def handover(self, handover: Handover) -> None:
        """Tell of a handover."""
        self._tell("handover", lambda listener: listener.handover(handover))

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Tell what a person should know."""
        self._tell("note", lambda listener: listener.note(time_ns, level, source, text))

    def ended(self, summary: RunSummary) -> None:
        """Tell all that the run is over, whatever one of them does."""
        failure: Exception | None = None
        for listener in self._listeners:
            try:
                listener.ended(summary)
            except Exception as error:
                failure = failure or error
        if failure is not None:
            raise self._failure("ended", failure) from failure

    def _tell(self, call: str, tell: Callable[[RunListener], None]) -> None:
        try:
            for listener in self._listeners:
                tell(listener)
        except HetwinError:
            raise
        except Exception as error:
            raise self._failure(call, error) from error

    def _failure(self, call: str, error: Exception) -> RunFailed:
        return RunFailed("log", call, self._time_ns, f"{type(error).__name__}: {error}")
