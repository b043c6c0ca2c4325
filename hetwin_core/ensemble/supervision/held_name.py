"""Names that only one holder on this machine has at a time: the names of runs, and the folders they write to."""

from __future__ import annotations

import hashlib
import pwd
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Self

_CREDENTIALS = struct.Struct("3i")
_LONGEST = 100
"""Bytes of an abstract address that are left for a name (`unix(7)`: 108 with the zero before it)."""


class Taken(Exception):
    """Somebody else holds the name; the text names the holder, as far as the kernel knows."""


class HeldName:
    """Holds a name until it is closed, or until every process that has inherited it has ended.

    The name is an abstract Unix address (`unix(7)`): the kernel gives it to exactly one of several that ask at the same
    moment, and frees it however its holder ends. It reaches as far as a network namespace: to all users of the machine,
    and to containers that share the host's network. No file is left anywhere.

    Args:
        name: the held one.

    Attributes:
        file: the descriptor that holds it; a process that inherits it holds the name too.

    Raises:
        Taken: if another one holds it.
    """

    def __init__(self, name: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.bind(_address(name))
            self._socket.listen()
        except OSError:
            self._socket.close()
            raise Taken(holder(name) or "another process") from None

    @property
    def file(self) -> int:
        """See above."""
        return self._socket.fileno()

    def close(self) -> None:
        """Let others have the name, unless another process holds it too."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def holder(name: str) -> str | None:
    """Who holds a name, e.g. ``process 4711 of anna``; None if nobody does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.setblocking(False)
        try:
            asking.connect(_address(name))
        except BlockingIOError:  # too many have asked
            return "another process"
        except OSError:
            return None
        option = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, user, _ = _CREDENTIALS.unpack(option)
    what = f"process {pid}" if pid else "a process outside this container"
    return f"{what} of {_user(user)}"


def held_below(name: str) -> list[str]:
    """The rest behind `name` of all held names that begin with it."""
    beginning = f"@{name}"
    with suppress(OSError):
        rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
        paths = {row[-1] for row in rows}
        return sorted(p.removeprefix(beginning) for p in paths if p.startswith(beginning))
    return []


def shortened(name: str, most: int = _LONGEST) -> str:
    """The name, or one of at most so many bytes that stands for it and for no other."""
    encoded = name.encode()
    if len(encoded) <= most:
        return name
    digest = hashlib.sha256(encoded).hexdigest()[:16]
    return f"{encoded[: most - 17].decode(errors='ignore')}~{digest}"


def _address(name: str) -> str:
    return "\0" + shortened(name)


def _user(number: int) -> str:
    with suppress(KeyError):
        return pwd.getpwuid(number).pw_name
    return f"user {number}"
