"""Sets up shared memory between a conductor and a model's node on one machine.

A call over topics costs the ROS middleware several times as much as waking another process. A node therefore waits
at an address for memory, and sends the address when it registers. If its conductor cannot reach the address, as
from another machine or container, calls use topics.
"""

from __future__ import annotations

import os
import secrets
import select
import socket
import struct
from contextlib import suppress

from hetwin_core.ensemble.transport.remote.memory import MemoryChannel

PATIENCE_S = 5.0
_CREDENTIALS = struct.Struct("3i")
_MAX_TOKEN_LENGTH = 256


class MemoryRequest:
    """An abstract Unix socket: it is not in the file system, and disappears with the node.

    Attributes:
        address: address for the conductor to connect to.
    """

    def __init__(self) -> None:
        self.address = f"hetwin/memory/{os.getpid()}/{secrets.token_hex(4)}"
        self._socket = _socket()
        self._socket.bind(f"\0{self.address}")
        self._socket.listen(1)

    def taken(self, conductor: int, run: str, timeout_s: float) -> MemoryChannel | None:
        """Wait for the memory; None if it has not arrived.

        Args:
            conductor: id of its process; offers of another process or user are ignored.
            run: token of the run.
            timeout_s: maximum time to wait.

        Raises:
            BadInput: if the memory is too small.
        """
        if not select.select([self._socket], [], [], timeout_s)[0]:
            return None
        with suppress(OSError):
            sender, _ = self._socket.accept()
            with sender:
                sender.settimeout(PATIENCE_S)
                if not _is_peer(sender, conductor):
                    return None
                token, files, _, _ = socket.recv_fds(sender, _MAX_TOKEN_LENGTH, MemoryChannel.FILES)
                if len(files) == MemoryChannel.FILES and token.decode() == run:
                    return MemoryChannel(files)
                for file in files:
                    os.close(file)
        return None

    def close(self) -> None:
        """Stop waiting."""
        self._socket.close()


def offer_memory(address: str, process: int, run: str) -> MemoryChannel | None:
    """Share new memory with a node.

    Args:
        address: address of the node's socket.
        process: id of the process that has registered; no other gets the memory.
        run: token of the run.

    Returns:
        The memory; None if the node cannot be reached.
    """
    with _socket() as receiver, suppress(OSError):
        receiver.settimeout(PATIENCE_S)
        receiver.connect(f"\0{address}")
        if _is_peer(receiver, process):
            channel = MemoryChannel.make()
            socket.send_fds(receiver, [run.encode()], channel.files)
            return channel
    return None


def _socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _is_peer(connected: socket.socket, process: int) -> bool:
    """Whether the other end is this process, of the same user."""
    option = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(option)[:2] == (process, os.getuid())
