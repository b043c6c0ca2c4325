"""A proxy that keeps foreign web pages away from the SDK's server.

The SDK's server checks neither the origin nor the host of a request, so any page open in a browser on this machine
could press the buttons of a run. The server therefore listens on a random loopback address, one of 2^38, and clients
connect to this proxy. It forwards connections without an origin, and those from the pages of the tools themselves.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from contextlib import suppress

from hetwin_suite.command import BadInput
from hetwin_suite.viewer import LOOPBACK, AccessRules

DOORS = AccessRules.of(LOOPBACK, tools=("foxglove.dev", "lichtblick-suite.github.io"))
_LARGEST_REQUEST = 16 * 1024
_PATIENCE_S = 5.0
_MOST_CLIENTS = 16
_PIECE = 64 * 1024


def hidden_address() -> str:
    """Return a random loopback address that others can hardly guess."""
    return ".".join(["127", *(str(1 + secrets.randbelow(253)) for _ in range(3))])


class Guard:
    """Listens for clients, and forwards permitted connections to a server.

    Args:
        port: port to listen on; 0 for a free one.
        behind: host and port of the server.

    Attributes:
        port: the port on which it listens.

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
        """Disconnect all clients, and stop listening."""
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
        """Forward data in both directions until one side closes the connection."""
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
    """Copy data; a client that does not read delays only its own connection."""
    while piece := await reader.read(_PIECE):
        writer.write(piece)
        await writer.drain()


def _headers(request: bytes) -> dict[str, str]:
    """Return header -> value of a request, with names in the case that `AccessRules` expects."""
    lines = request.decode("latin-1").split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {name.strip().title(): value.strip() for name, _, value in pairs}


def _forbidden(reason: str) -> bytes:
    body = reason.encode()
    head = f"HTTP/1.1 403 Forbidden\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body
