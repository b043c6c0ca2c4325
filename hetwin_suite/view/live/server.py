"""Serves the page of a live run, in a thread of the process that supervises the run.

Requires websockets; call `doors.require_websockets` before importing this module.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.view.document import live_page
from hetwin_suite.view.live.doors import AccessRules
from hetwin_suite.view.live.feed import Feed
from hetwin_suite.view.live.hands import RunControls
from hetwin_suite.view.live.visit import Messages, serve_page

PORT = 8770
LARGEST_MESSAGE = 4096
"""Maximum size of a message from a page [bytes]."""
FINAL_MESSAGES_S = 1.0
"""Time in which pages may receive the end of the run before the server closes [s]."""
_HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)


class PageServer:
    """Serves a self-contained page; all methods may be called from any thread.

    Args:
        page: HTML text of the page.
        host: address to listen on.
        port: port to listen on; 0: a free port; None: `PORT`, or a free one if that is in use.

    Attributes:
        address: address for a browser.

    Raises:
        BadInput: if the port is in use.
    """

    def __init__(self, page: str, *, host: str, port: int | None) -> None:
        self._page = page.encode()
        self._doors = AccessRules.of(host)
        self._socket = _listen(host, port)
        self.address = self._doors.address(self._socket.getsockname()[1])
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._serve, name="page", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Send the last messages to all pages, close their connections, and stop listening."""
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(3 * FINAL_MESSAGES_S)

    def connect(self, connection: ServerConnection, path: str) -> Response | None:
        """Return the response to a request of another path than the page's; None: accept a WebSocket for `receive`."""
        return connection.respond(HTTPStatus.NOT_FOUND, f"there is no {path}, only one page: /\n")

    async def receive(self, connection: ServerConnection) -> None:
        """Handle the WebSocket of a page."""

    async def wait_for_final_messages(self) -> None:
        """Wait until all connected pages have received their last messages; called when the server closes."""

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_closed())

    async def _until_closed(self) -> None:
        quiet = logging.getLogger("hetwin.live")
        quiet.addHandler(logging.NullHandler())
        quiet.propagate = False
        async with serve(
            self.receive,
            sock=self._socket,
            process_request=self._respond,
            compression=None,
            max_size=LARGEST_MESSAGE,
            max_queue=4,
            close_timeout=FINAL_MESSAGES_S,
            server_header=None,
            logger=quiet,
        ):
            await self._end.wait()
            await self.wait_for_final_messages()

    def _respond(self, connection: ServerConnection, request: Request) -> Response | None:
        """Return the page or a refusal; None to accept a page's WebSocket."""
        refusal = self._doors.refusal(request.path, request.headers)
        if refusal is not None:
            return connection.respond(HTTPStatus.FORBIDDEN, f"{refusal}\n")
        path = urlsplit(request.path).path
        if path != "/":
            return self.connect(connection, path)
        headers = (*_HEADERS, ("Content-Length", str(len(self._page))))
        return Response(HTTPStatus.OK, "OK", Headers(headers), self._page)


def _listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket; `port` as for `PageServer`.

    Raises:
        BadInput: if the address cannot be used.
    """
    if port is None:
        try:
            return _listen(host, PORT)
        except BadInput:
            port = 0
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(
            f"the page cannot be served there: {reason}",
            where="--port",
            found=f"{host}:{port}",
            expected="an address of this machine and a free port, or port 0 for any free one",
        ) from error


MAX_PAGES = 16
_SOCKET = "/live"


class LiveServer(PageServer):
    """Serves the page of a live run; all methods may be called from any thread.

    Args:
        feed: data of the run.
        hands: controls of the run.
        host: address to listen on.
        port: port to listen on; 0: a free port; None: `PORT`, or a free one if that is in use.
        complain: called at most once, with a line about a client that sent an invalid message.

    Raises:
        BadInput: if the page's script has not been built, or the port is in use.
    """

    def __init__(
        self,
        feed: Feed,
        hands: RunControls,
        *,
        host: str,
        port: int | None,
        complain: Callable[[str], None],
    ) -> None:
        self._messages = Messages(feed)
        self._hands = hands
        self._complain = complain
        self._has_complained = False
        self._visitors: set[asyncio.Task[Any]] = set()
        super().__init__(live_page(), host=host, port=port)

    def connect(self, connection: ServerConnection, path: str) -> Response | None:
        """See `PageServer`."""
        if path != _SOCKET:
            return super().connect(connection, path)
        if len(self._visitors) < MAX_PAGES:
            return None
        return connection.respond(
            HTTPStatus.SERVICE_UNAVAILABLE, "too many pages are open already\n"
        )

    async def receive(self, connection: ServerConnection) -> None:
        """See `PageServer`."""
        task = asyncio.current_task()
        assert task is not None
        self._visitors.add(task)
        try:
            reason = await serve_page(connection, self._messages, self._hands)
        finally:
            self._visitors.discard(task)
        if reason is not None and not self._has_complained:
            self._has_complained = True
            self._complain(f"a page was disconnected: {reason}")

    async def wait_for_final_messages(self) -> None:
        """See `PageServer`."""
        if self._visitors:
            await asyncio.wait(self._visitors, timeout=FINAL_MESSAGES_S)
