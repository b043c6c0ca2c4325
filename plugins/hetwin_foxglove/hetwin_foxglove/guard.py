"""Keeps foreign web pages away from a server that would let them in.

The SDK's server checks neither who asks nor for which host, so any page open in a browser on this machine could press
the buttons of a run. It therefore listens on an address of this machine that is drawn anew each time, one of 2^38, and
what clients know is this guard: it passes on what comes from no web page, or from a page of the tools themselves.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from contextlib import suppress

from hetwin_suite.command import BadInput
from hetwin_suite.viewer import LOOPBACK, Doors

DOORS = Doors.of(LOOPBACK, tools=("foxglove.dev", "lichtblick-suite.github.io"))
_LARGEST_REQUEST = 16 * 1024
_PATIENCE_S = 5.0
_MOST_CLIENTS = 16
_PIECE = 64 * 1024


def hidden_address() -> str:
    """Return an address of this machine that others can hardly guess."""
    return ".".join(["127", *(str(1 + secrets.randbelow(253)) for _ in range(3))])


class Guard:
    """Listens for clients and passes what they may send on to a server.

    Args:
        port: to listen on; 0 for a free one.
        behind: host and port of the server.

    Attributes:
        port: that it listens on.

    Raises:
        BadInput: if the port is taken.
    """

    def __init__(self, port: int, behind: tuple[str, int]) -> None:
        self._behind = behind
        self._loop = asyncio.new_event_loop()
        self._clients: set[asyncio.Task[None]] = set()
        try:
            self._server = self._loop.run_until_complete(
                asyncio.start_server(self._serve, LOOPBACK, port, limit=_LARGEST_REQUEST)
            )
        except OSError as error:
            self._loop.close()
            raise BadInput(
                f"the port cannot be listened on: {error.strerror}",
                where="--foxglove",
                found=port,
                expected="a free port, or 0 for any free one",
            ) from error
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._run, name="foxglove guard", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let all clients go and stop listening."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        self._loop.run_forever()
        self._server.close()
        self._loop.run_until_complete(self._let_go())
        self._loop.close()

    async def _let_go(self) -> None:
        clients = list(self._clients)
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                async with asyncio.timeout(_PATIENCE_S):
                    request = await reader.readuntil(b"\r\n\r\n")
                reason = DOORS.refusal("", _headers(request))
                if len(self._clients) > _MOST_CLIENTS:
                    reason = "there are too many clients"
                if reason is None:
                    await self._pass_on(request, reader, writer)
                else:
                    writer.write(_forbidden(reason))
                    await writer.drain()
        finally:
            self._clients.discard(task)
            writer.close()

    async def _pass_on(
        self, request: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Pass everything on, in both directions, until one side ends it."""
        theirs, ours = await asyncio.open_connection(*self._behind)
        try:
            ours.write(request)
            both = [
                asyncio.ensure_future(_pump(reader, ours)),
                asyncio.ensure_future(_pump(theirs, writer)),
            ]
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for direction in both:
                    direction.cancel()
                await asyncio.gather(*both, return_exceptions=True)
        finally:
            ours.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy what comes; who does not read keeps only its own connection waiting."""
    while piece := await reader.read(_PIECE):
        writer.write(piece)
        await writer.drain()


def _headers(request: bytes) -> dict[str, str]:
    """The headers of a request, by their names as `Doors` writes them."""
    lines = request.decode("latin-1").split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {name.strip().title(): value.strip() for name, _, value in pairs}


def _forbidden(reason: str) -> bytes:
    body = reason.encode()
    head = f"HTTP/1.1 403 Forbidden\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body
