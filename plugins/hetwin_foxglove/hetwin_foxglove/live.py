"""Shows a live run in Foxglove, and lets clients control it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from hetwin_foxglove.channels import Channels
from hetwin_foxglove.server import FoxgloveServer
from hetwin_foxglove.services import COMMANDS, CONTROL
from hetwin_suite.model import Event
from hetwin_suite.runs import Handover
from hetwin_suite.viewer import (
    Control,
    Feed,
    HandOver,
    HappeningKind,
    Pause,
    Resume,
    RunControls,
    RunFacts,
    SetPace,
    Step,
)

TOLD = "Foxglove and Lichtblick find the run at"
_PERIOD_S = 1 / 30
_PATIENCE_S = 60.0


class FoxgloveLive:
    """Serves a run in a thread of its own until it is closed.

    Args:
        feed: observes the run.
        hands: controls the run.
        port: port to listen on; 0 for a free one.

    Attributes:
        told, address: see `ShownRun`; the address to which Foxglove or Lichtblick connects.

    Raises:
        BadInput: if Foxglove's SDK is not installed, or the port is taken.
    """

    told = TOLD

    def __init__(self, feed: Feed, hands: RunControls, port: int) -> None:
        self._feed, self._hands = feed, hands
        self._server = FoxgloveServer("hetwin", port, carry=self._carry)
        self.address = self._server.address
        self._channels: Channels | None = None
        self._begun: RunFacts | None = None
        self._read = 0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="foxglove", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Show the last state, and disconnect all clients."""
        self._ends.set()
        self._thread.join()
        self._server.close()

    def _serve(self) -> None:
        over = False
        while not over:
            over = self._ends.wait(_PERIOD_S)
            begun = self._feed.begun
            if begun is not None and begun is not self._begun:
                self._begin(begun)
            if self._channels is not None:
                self._look(self._channels)

    def _begin(self, begun: RunFacts) -> None:
        self._begun = begun
        if self._channels is not None:  # the run was restarted, perhaps with other objects
            self._channels.close()
        self._channels = Channels(self._server.context, begun.name, begun.models, begun.layout)

    def _look(self, channels: Channels) -> None:
        self._server.show_again_to_late(channels)
        now = self._feed.now()
        if now is not None and _is_news(channels, now.time_ns, now.owners):
            channels.show(now)
            self._server.tell_time(now.time_ns)
        self._read, happened = self._feed.happened(self._read)
        for happening in happened:
            match happening.said:
                case Event() as event:
                    channels.event(event)
                case Handover() as handover:
                    channels.handover(handover)
                case _ if happening.kind is HappeningKind.NOTE:
                    source = happening.more.get("source", "")
                    channels.note(happening.time_ns, happening.name, source, happening.text)

    def _carry(self, service: str, fields: Mapping[str, Any]) -> str | None:
        """Execute a request of a service; return the reason of a refusal, or None.

        Raises:
            ValueError: if the request is unknown or malformed.
        """
        deed = _deed(service, fields)
        answered = threading.Event()
        reply: list[str | None] = []

        def done(refusal: str | None) -> None:
            reply.append(refusal)
            answered.set()

        self._hands.do(deed, done)
        if not answered.wait(_PATIENCE_S):
            return f"there is no response after {_PATIENCE_S:g} s"
        return reply[0]


def _deed(service: str, fields: Mapping[str, Any]) -> Control:
    """Return the deed that a request names.

    Raises:
        ValueError: if the request is unknown or malformed.
    """
    if service != CONTROL:
        return HandOver(fields["entity"], fields["attribute"], fields["model"])
    match fields["command"]:
        case "pause":
            return Pause()
        case "go_on":
            return Resume()
        case "next_event":
            return Step(None)
        case "step" if fields["steps"] > 0:
            return Step(fields["steps"])
        case "step":
            raise ValueError(f"steps is {fields['steps']}; expected how many steps to take")
        case "pace":
            return SetPace(float(fields["pace"]) or None)
        case command:
            raise ValueError(f"command is {command!r}; expected {', '.join(COMMANDS)}")


def _is_news(channels: Channels, time_ns: int, owners: Any) -> bool:
    """Whether the state differs from the last shown one; in a paused run only a handover changes it."""
    shown = channels.shown
    return shown is None or shown.time_ns != time_ns or bool((shown.owners != owners).any())
