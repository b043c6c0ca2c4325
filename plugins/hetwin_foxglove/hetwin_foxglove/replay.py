"""Plays a finished run in Foxglove, at any speed and from any time."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hetwin_foxglove.live import TOLD
from hetwin_foxglove.recorded import RunReader
from hetwin_foxglove.server import FoxgloveServer
from hetwin_foxglove.services import CONTROL

_PERIOD_S = 1 / 30
_LONGEST_S = 0.1
"""Maximum wall time per iteration; on a busy machine the replay gets slower instead of skipping states [s]."""
_NEVER = "this run is over: its responsibilities stay as they were"
_COMMANDS = "pause, go_on or pace"


class Replay:
    """Plays a run to all clients until it is closed; starts when the first client subscribes.

    Args:
        run: folder of the run.
        port: port to listen on; 0 for a free one.

    Attributes:
        told, address: see `ShownRun`; the address to which Foxglove or Lichtblick connects.

    Raises:
        BadInput: if Foxglove's SDK is not installed, or the port is taken.
    """

    told = TOLD

    def __init__(self, run: Path, port: int) -> None:
        self._recorded = recorded = RunReader(run)
        episode = recorded.episode
        self._first, self._last = episode.start_ns, episode.end_ns
        self._lock = threading.Lock()
        self._plays: bool | None = None  # None until the first client subscribes
        self._speed = 1.0
        self._jump: int | None = self._first
        self._news = True
        self._server = FoxgloveServer(
            f"{episode.scenario} ({episode.run.name})",
            port,
            carry=self._carry,
            control=self._control,
            duration_ns=self._last,
        )
        self._channels = recorded.channels(self._server.context)
        self.address = self._server.address
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._play, name="replay", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Disconnect all clients."""
        self._ends.set()
        self._thread.join()
        self._server.close()

    def _play(self) -> None:
        at_ns, before = self._first, time.monotonic()
        while not self._ends.wait(_PERIOD_S):
            now = time.monotonic()
            at_ns = self._advance(at_ns, now - before)
            before = now

    def _advance(self, at_ns: int, wall_s: float) -> int:
        """Show the next moment, or the one that a client has requested, and return its time [ns]."""
        if self._server.show_again_to_late(self._channels) and self._plays is None:
            self._plays, self._news = True, True
        with self._lock:
            plays, speed, jump, news = bool(self._plays), self._speed, self._jump, self._news
            self._jump, self._news = None, False
        if jump is not None:
            at_ns = min(max(jump, self._first), self._last)
        elif plays and at_ns < self._last:
            until = min(at_ns + round(min(wall_s, _LONGEST_S) * speed * 1e9), self._last)
            self._recorded.tell(at_ns, until, self._channels)
            at_ns, news = until, news or until == self._last
        elif not news:
            return at_ns
        self._channels.show(self._recorded.at(at_ns))
        self._server.tell_time(at_ns)
        if news:
            status = "Ended" if at_ns >= self._last else "Playing" if plays else "Paused"
            self._server.tell_playing(status, at_ns, speed, jumped=jump is not None)
        return at_ns

    def _control(self, plays: bool, speed: float, jump: int | None) -> None:
        with self._lock:
            self._plays, self._news = plays, True
            self._speed = speed if 0.0 < speed <= 1e3 else 1.0
            self._jump = self._jump if jump is None else jump

    def _carry(self, service: str, fields: Mapping[str, Any]) -> str | None:
        """Execute a request of a service; return the reason of a refusal, or None."""
        if service != CONTROL:
            return _NEVER
        match fields["command"]:
            case "pause":
                self._control(False, self._speed, None)
            case "go_on":
                self._control(True, self._speed, None)
            case "pace" if fields["pace"] > 0.0:
                self._control(bool(self._plays), float(fields["pace"]), None)
            case "pace":
                return f"pace is {fields['pace']:g}; expected more than 0"
            case command:
                return f"command is {command!r}; expected {_COMMANDS} for a run that is over"
        return None
