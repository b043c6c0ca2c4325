"""Serves the page of a run that goes on, in a thread of the process that watches the run.

Imported after `library.need_websockets` only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Response

from hetwin_suite.view.document import live_page
from hetwin_suite.view.live.feed import Feed
from hetwin_suite.view.live.hands import Hands
from hetwin_suite.view.live.page_server import LAST_WORD_S, PageServer
from hetwin_suite.view.live.visit import Newspaper, visit

MOST_VISITORS = 16
_SOCKET = "/live"


class LiveServer(PageServer):
    """Serves one run; everything may be called from any thread.

    Args:
        feed: what the page is shown.
        hands: what the page may do.
        host: address to listen on.
        port: to listen on; 0 for a free one, None for `PORT`, or a free one if that is taken.
        complain: is called at most once, with a line about a visitor who sent what no page sends.

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
