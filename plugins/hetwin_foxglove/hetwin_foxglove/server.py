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
"""Maximum number of queued messages for a client that does not read; older ones are dropped."""

Control = Callable[[bool, float, int | None], None]
"""Executes a request of the play bar: whether to play, speed, and time to jump to [ns] or None."""


class FoxgloveServer:
    """Serves one run on the loopback interface; all methods are thread-safe.

    Args:
        name: name of the shown run.
        port: port to listen on; 0 for a free one.
        carry: executes requests of the services; None: no services.
        control: executes requests of the play bar; None: no play bar.
        duration_ns: end of the play bar [ns].

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
        """The address to which Foxglove or Lichtblick connects."""
        return f"ws://{LOOPBACK}:{self._guard.port}"

    def tell_time(self, time_ns: int) -> None:
        """Send the simulated time to all clients."""
        self._time_ns = time_ns
        self._server.broadcast_time(time_ns)

    def show_again_to_late(self, channels: Channels) -> bool:
        """Repeat the last shown state if a client has subscribed since; return whether one has."""
        if not self._late.is_set():
            return False
        self._late.clear()
        channels.repeat()
        return True

    def tell_playing(self, status: str, time_ns: int, speed: float, *, jumped: bool) -> None:
        """Send the state of the play bar to all clients: ``Playing``, ``Paused`` or ``Ended``, time and speed."""
        state = self._sdk.websocket
        self._server.broadcast_playback_state(
            state.PlaybackState(getattr(state.PlaybackStatus, status), time_ns, speed, jumped, "")
        )

    def close(self) -> None:
        """Disconnect all clients."""
        self._guard.close()
        self._server.stop()


class _Listener:
    """Callbacks of the SDK, called from its own threads."""

    def __init__(self, late: Callable[[], None], control: Control | None, play: Any) -> None:
        self._subscribed, self._control, self._play = late, control, play

    def on_subscribe(self, client: Any, channel: Any) -> None:
        """Note that a client has subscribed to a channel."""
        self._subscribed()

    def on_unsubscribe(self, client: Any, channel: Any) -> None:
        """Ignore that a client has unsubscribed from a channel."""

    def on_playback_control_request(self, request: Any) -> None:
        """Execute a request of a client's play bar; its new state follows with the next message."""
        if self._control is not None:
            plays = request.playback_command == self._play
            self._control(plays, request.playback_speed, request.seek_time)
