"""The server that Foxglove and Lichtblick connect to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from hetwin_foxglove.channels import Channels
from hetwin_foxglove.guard import Guard, hidden_address
from hetwin_foxglove.library import foxglove
from hetwin_foxglove.services import Carry, services
from hetwin_suite.viewer import LOOPBACK

_BACKLOG = 256
"""Messages kept for a client that does not read; then the oldest go."""

Control = Callable[[bool, float, int | None], None]
"""Carries out what the play bar asks for: whether to play, speed, time to go to [ns] or None."""


class FoxgloveServer:
    """Serves one run on the loopback interface; everything may be called from any thread.

    Args:
        name: of what is shown.
        port: to listen on; 0 for a free one.
        carry: carries out requests of the services; None: no services.
        control: carries out what the play bar asks for; None: there is none.
        duration_ns: the last time that the play bar leads to.

    Attributes:
        context: context of the SDK, for the channels.

    Raises:
        BadInput: if the SDK is not installed, or the port is taken.
    """

    def __init__(
        self,
        name: str,
        port: int,
        *,
        carry: Carry | None = None,
        control: Control | None = None,
        duration_ns: int = 0,
    ) -> None:
        sdk = foxglove()
        self._sdk = sdk
        self._time_ns = 0
        self._late = threading.Event()
        capability = sdk.websocket.Capability
        self.context = sdk.Context()
        sdk.set_log_level("ERROR")
        host = hidden_address()
        self._server = sdk.start_server(
            name=name,
            host=host,
            port=0,
            capabilities=[capability.Time],
            server_listener=_Listener(self._late.set, control, sdk.websocket.PlaybackCommand.Play),
            supported_encodings=["json"],
            services=[] if carry is None else services(sdk, carry, lambda: self._time_ns),
            context=self.context,
            playback_time_range=None if control is None else (0, duration_ns),
            message_backlog_size=_BACKLOG,
        )
        try:
            self._guard = Guard(port, (host, self._server.port))
        except BaseException:
            self._server.stop()
            raise

    @property
    def address(self) -> str:
        """What one gives Foxglove or Lichtblick to connect to."""
        return f"ws://{LOOPBACK}:{self._guard.port}"

    def tell_time(self, time_ns: int) -> None:
        """Let all clients know the simulated time."""
        self._time_ns = time_ns
        self._server.broadcast_time(time_ns)

    def show_again_to_late(self, channels: Channels) -> bool:
        """Show once more what was shown last, if somebody has subscribed since; returns whether it was so."""
        if not self._late.is_set():
            return False
        self._late.clear()
        channels.repeat()
        return True

    def tell_playing(self, status: str, time_ns: int, speed: float, *, jumped: bool) -> None:
        """Let the play bars of all clients know: ``Playing``, ``Paused`` or ``Ended``, and where."""
        state = self._sdk.websocket
        self._server.broadcast_playback_state(
            state.PlaybackState(getattr(state.PlaybackStatus, status), time_ns, speed, jumped, "")
        )

    def close(self) -> None:
        """Let all clients go."""
        self._guard.close()
        self._server.stop()


class _Listener:
    """What the SDK calls, from threads of its own."""

    def __init__(self, late: Callable[[], None], control: Control | None, play: Any) -> None:
        self._subscribed, self._control, self._play = late, control, play

    def on_subscribe(self, client: Any, channel: Any) -> None:
        """A client wants to see a channel."""
        self._subscribed()

    def on_unsubscribe(self, client: Any, channel: Any) -> None:
        """A client has seen enough of a channel."""

    def on_playback_control_request(self, request: Any) -> None:
        """A client has used its play bar; the state follows with the next message."""
        if self._control is not None:
            plays = request.playback_command == self._play
            self._control(plays, request.playback_speed, request.seek_time)
