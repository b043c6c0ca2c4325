"""Several listeners called as one; an exception in any of them ends the run with an error that names the call."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.errors import HetwinError, RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.snapshot import Snapshot


class ListenerGroup:
    """All listeners of a run, called in order.

    Every method raises RunFailed if a listener raises anything that is no error of hetwin's.
    """

    def __init__(self, listeners: Sequence[RunListener]) -> None:
        self._follow(listeners)
        self._time_ns = 0

    def _follow(self, listeners: Sequence[RunListener]) -> None:
        """Call these from now on, each for what it does something about."""
        self._listeners = tuple(listeners)
        self._of = {
            name: [listener for listener in listeners if _has_own(listener, name)]
            for name in ("started", "stepped", "event", "belief", "handover", "note")
        }

    def replace(self, listeners: Sequence[RunListener]) -> None:
        """Call these instead from now on; those before hear nothing more, not even of the end."""
        self._follow(listeners)

    def add(self, listener: RunListener, start: RunStart) -> None:
        """Call one more from now on, for which the run begins here."""
        ListenerGroup([listener]).started(start)
        self._follow((*self._listeners, listener))

    def started(self, start: RunStart) -> None:
        """Publish that the run begins."""
        self._call("started", start)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Publish the state after a complete step."""
        self._time_ns = scene.time_ns
        try:
            for listener in self._of["stepped"]:
                if step % listener.stepped_every == 0:
                    listener.stepped(step, scene)
        except HetwinError:
            raise
        except Exception as error:
            raise self._failure("stepped", error) from error

    def event(self, event: Event) -> None:
        """Publish an event."""
        self._call("event", event)

    def belief(self, event: Event) -> None:
        """Publish what the robot believes."""
        self._call("belief", event)

    def handover(self, handover: Handover) -> None:
        """Publish a handover."""
        self._call("handover", handover)

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Publish what a person should know."""
        self._call("note", time_ns, level, source, text)

    def ended(self, summary: RunSummary) -> RunSummary:
        """Publish that the run is over, to all listeners even if one of them raises; returns it as they judge it."""
        failure: Exception | None = None
        for listener in self._listeners:
            try:
                summary = listener.judged(summary)
            except Exception as error:
                failure = failure or error
        for listener in self._listeners:
            try:
                listener.ended(summary)
            except Exception as error:
                failure = failure or error
        if failure is not None:
            raise self._failure("ended", failure) from failure
        return summary

    def _call(self, name: str, *arguments: object) -> None:
        try:
            for listener in self._of[name]:
                getattr(listener, name)(*arguments)
        except HetwinError:
            raise
        except Exception as error:
            raise self._failure(name, error) from error

    def _failure(self, name: str, error: Exception) -> RunFailed:
        return RunFailed("log", name, self._time_ns, f"{type(error).__name__}: {error}")


def _has_own(listener: RunListener, name: str) -> bool:
    return getattr(type(listener), name) is not getattr(RunListener, name)
