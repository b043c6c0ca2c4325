"""Names with one holder on this machine at a time: the names of runs, and the folders that they write to."""

from __future__ import annotations

import hashlib
import pwd
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Self

_CREDENTIALS = struct.Struct("3i")
_MAX_BYTES = 100
"""Maximum number of bytes of a name in an abstract address (`unix(7)`: 108 with the leading zero)."""


class NameTaken(Exception):
    """The name is held by another process; the text names the holder, if the kernel knows it."""


class HeldName:
    """Holds a name until it is closed, or until every process that has inherited it has ended.

    The name is an abstract Unix address (`unix(7)`): the kernel gives it to exactly one process, and frees it
    however that process ends. Its scope is a network namespace: all users of the machine, and containers that share
    the host's network. No file is left anywhere.

    Args:
        name: the name to hold.

    Attributes:
        file: the descriptor that holds it; a process that inherits it holds the name too.

    Raises:
        NameTaken: if another process holds it.
    """

    def __init__(self, name: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.bind(_address(name))
            self._socket.listen()
        except OSError:
            self._socket.close()
            raise NameTaken(holder(name) or "another process") from None

    @property
    def file(self) -> int:
        """The descriptor that holds the name."""
        return self._socket.fileno()

    def close(self) -> None:
        """Release the name, unless another process has inherited it."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def holder(name: str) -> str | None:
    """The holder of a name, e.g. ``process 4711 of anna``; None if there is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.setblocking(False)
        try:
            client.connect(_address(name))
        except BlockingIOError:  # the queue of connections is full
            return "another process"
        except OSError:
            return None
        option = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, user, _ = _CREDENTIALS.unpack(option)
    process_text = f"process {pid}" if pid else "a process outside this container"
    return f"{process_text} of {_user(user)}"


def held_below(name: str) -> list[str]:
    """The remainders of all held names that begin with `name`."""
    beginning = f"@{name}"
    with suppress(OSError):
        rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
        paths = {row[-1] for row in rows}
        return sorted(p.removeprefix(beginning) for p in paths if p.startswith(beginning))
    return []


def shortened(name: str, limit: int = _MAX_BYTES) -> str:
    """The name, or a unique substitute of at most `limit` bytes."""
    encoded = name.encode()
    if len(encoded) <= limit:
        return name
    digest = hashlib.sha256(encoded).hexdigest()[:16]
    return f"{encoded[: limit - 17].decode(errors='ignore')}~{digest}"


def _address(name: str) -> str:
    return "\0" + shortened(name)


def _user(number: int) -> str:
    with suppress(KeyError):
        return pwd.getpwuid(number).pw_name
    return f"user {number}"
