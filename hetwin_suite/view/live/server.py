"""Serves the page of a run that goes on, in a thread of the process that watches the run.

Imported after `library.need_websockets` only.
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
from hetwin_suite.view.live.doors import Doors
from hetwin_suite.view.live.feed import Feed
from hetwin_suite.view.live.hands import Hands
from hetwin_suite.view.live.visit import Newspaper, visit

PORT = 8770
LARGEST_MESSAGE = 4096
"""Largest message of a page [bytes]."""
LAST_WORD_S = 1.0
"""How long pages may take to hear that it is over."""
_HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)


class PageServer:
    """Serves a page that needs nothing else; everything may be called from any thread.

    Args:
        page: HTML.
        host: address to listen on.
        port: to listen on; 0 for a free one, None for `PORT`, or a free one if that is taken.

    Attributes:
        address: for a browser.

    Raises:
        BadInput: if the port is taken.
    """

    def __init__(self, page: str, *, host: str, port: int | None) -> None:
        self._page = page.encode()
        self._doors = Doors.of(host)
        self._socket = _listen(host, port)
        self.address = self._doors.address(self._socket.getsockname()[1])
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._serve, name="page", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let all pages hear the last word, let them go, and stop listening."""
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(3 * LAST_WORD_S)

    def connect(self, connection: ServerConnection, path: str) -> Response | None:
        """Return the response to a request of another path than that of the page; None connects to `receive`."""
        return connection.respond(HTTPStatus.NOT_FOUND, f"there is no {path}, only one page: /\n")

    async def receive(self, connection: ServerConnection) -> None:
        """Talk with a page that has connected."""

    async def last_word(self) -> None:
        """Wait until the pages that have connected are gone, once the server is closed."""

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
            process_request=self._look_at,
            compression=None,
            max_size=LARGEST_MESSAGE,
            max_queue=4,
            close_timeout=LAST_WORD_S,
            server_header=None,
            logger=quiet,
        ):
            await self._end.wait()
            await self.last_word()

    def _look_at(self, connection: ServerConnection, request: Request) -> Response | None:
        """The page, a refusal, or None for a page's own connection."""
        refusal = self._doors.refusal(request.path, request.headers)
        if refusal is not None:
            return connection.respond(HTTPStatus.FORBIDDEN, f"{refusal}\n")
        path = urlsplit(request.path).path
        if path != "/":
            return self.connect(connection, path)
        headers = (*_HEADERS, ("Content-Length", str(len(self._page))))
        return Response(HTTPStatus.OK, "OK", Headers(headers), self._page)


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens; `port` as above.

    Raises:
        BadInput: if that is not possible.
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


MOST_VISITORS = 16
_SOCKET = "/live"


class LiveServer(PageServer):
    """Serves one run; everything may be called from any thread.

    Args:
        feed: data of the page.
        hands: controls of the page.
        host: address to listen on.
        port: to listen on; 0 for a free one, None for `PORT`, or a free one if that is taken.
        complain: is called at most once, with a line about a visitor whose message no page sends.

    Raises:
        BadInput: if the page's script was not made, or the port is taken.
    """

    def __init__(
        self,
        feed: Feed,
        hands: Hands,
        *,
        host: str,
        port: int | None,
        complain: Callable[[str], None],
    ) -> None:
        self._news = Newspaper(feed)
        self._hands = hands
        self._complain = complain
        self._has_complained = False
        self._visitors: set[asyncio.Task[Any]] = set()
        super().__init__(live_page(), host=host, port=port)

    def connect(self, connection: ServerConnection, path: str) -> Response | None:
        """See `PageServer`."""
        if path != _SOCKET:
            return super().connect(connection, path)
        if len(self._visitors) < MOST_VISITORS:
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
            wrong = await visit(connection, self._news, self._hands)
        finally:
            self._visitors.discard(task)
        if wrong is not None and not self._has_complained:
            self._has_complained = True
            self._complain(f"a page was sent away: {wrong}")

    async def last_word(self) -> None:
        """See `PageServer`."""
        if self._visitors:
            await asyncio.wait(self._visitors, timeout=LAST_WORD_S)
