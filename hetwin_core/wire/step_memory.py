"""Steps through shared memory between the nodes of conductor and model, where both are on one machine.

A step over topics costs the middleware of ROS several times what it costs to wake another process. So the conductor's
node offers memory to each model's node on a socket, whose name both know from the registration. A node that cannot
reach the socket, as on another machine or in a container of its own, gets its steps on topics. All other calls are
services.
"""

from __future__ import annotations

import os
import select
import socket
import struct
from array import array
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from hetwin_core.ensemble.transport.own_process.flat_message import FlatMessage
from hetwin_core.ensemble.transport.own_process.shared_parts import ROOM, SharedParts

STEP, ROWS, CALL = 1, 1 << 16, 1 << 32
"""What the counter of requests rises by: a step is in the memory, the time of rows, or a service is called."""
_FILES = 4
_CREDENTIALS = struct.Struct("3i")


class Wanted(NamedTuple):
    """What a conductor wants of a model's node.

    Attributes:
        step: the request of a step; None if there is none.
        rows_at: time of the step whose rows of proximity it wants [ns]; None if it wants none.
        calls: how many services it has called since the last time.
    """

    step: FlatMessage | None = None
    rows_at: int | None = None
    calls: int = 0


class StepMemory:
    """What a conductor and a model share.

    Args:
        files: descriptors of both memories and both counters.
    """

    def __init__(self, files: Sequence[int]) -> None:
        request, output, self._asked, self._stepped = self.files = tuple(files)
        self._request = SharedParts(file=request)
        self._output = SharedParts(file=output)

    @classmethod
    def make(cls) -> StepMemory:
        """New memory."""
        memories = [os.memfd_create(f"hetwin {name}") for name in ("request", "output")]
        for file in memories:
            os.ftruncate(file, ROOM)
        return cls([*memories, os.eventfd(0), os.eventfd(0)])

    def request(self, message: FlatMessage) -> None:
        """Request a step.

        Raises:
            TooLarge: if there is no room for it.
        """
        self._request.write(message.parts())
        os.eventfd_write(self._asked, STEP)

    def request_rows(self, time_ns: int) -> None:
        """Request the rows of proximity of one of the last steps, by its time."""
        self._request.write(FlatMessage(index=array("q", [time_ns])).parts())
        os.eventfd_write(self._asked, ROWS)

    def announce_call(self) -> None:
        """Let the model's node look for a call of a service."""
        os.eventfd_write(self._asked, CALL)

    def has_stepped(self, timeout_s: float) -> bool:
        """Wait for the output of the requested step; returns false if it is not there in time."""
        if not _poll(self._stepped, timeout_s * 1e3):
            return False
        os.eventfd_read(self._stepped)
        return True

    def output(self) -> FlatMessage:
        """The output of the step that is done."""
        return FlatMessage.of(self._output.read())

    def wait_for_request(self, timeout_s: float) -> Wanted:
        """Wait for what the conductor wants."""
        if not _poll(self._asked, timeout_s * 1e3):
            return Wanted()
        calls, requests = divmod(os.eventfd_read(self._asked), CALL)
        if not requests:
            return Wanted(calls=calls)
        message = FlatMessage.of(self._request.read())
        if requests == STEP:
            return Wanted(message, calls=calls)
        return Wanted(rows_at=message.index[0], calls=calls)

    def reply(self, output: FlatMessage) -> None:
        """Return the output of a step.

        Raises:
            TooLarge: if there is no room for it.
        """
        self._output.write(output.parts())
        os.eventfd_write(self._stepped, 1)

    def close(self) -> None:
        """Stop sharing."""
        for file in self.files:
            with suppress(OSError):
                os.close(file)


class Offer:
    """The conductor's offer of memory to one node on this machine.

    Args:
        pid: process of the node; no other gets the memory.
        run: token of the run.
    """

    def __init__(self, pid: int, run: str) -> None:
        self._pid = pid
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with suppress(OSError):
            self._socket.bind(_address(run, os.getpid(), pid))
            self._socket.listen(1)
        self._socket.setblocking(False)

    def taken(self) -> StepMemory | None:
        """The memory, if the node's process has asked for it; the offer ends."""
        with self._socket, suppress(OSError):
            taker, _ = self._socket.accept()
            with taker:
                option = taker.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
                peer, user, _ = _CREDENTIALS.unpack(option)
                if (peer, user) == (self._pid, os.getuid()):
                    memory = StepMemory.make()
                    socket.send_fds(taker, [b"steps"], memory.files)
                    return memory
        return None


class Asked:
    """A node's request for the memory that the conductor offers.

    Args:
        conductor: process of the conductor.
        run: token of the run.
    """

    def __init__(self, conductor: int, run: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._socket.connect(_address(run, conductor, os.getpid()))
        except OSError:
            self._socket.close()

    def memory(self, timeout_s: float) -> StepMemory | None:
        """The memory; None if there was no offer, or it was not for this process.

        Args:
            timeout_s: how long the conductor may take to send it.
        """
        with self._socket, suppress(OSError):
            self._socket.settimeout(timeout_s)
            _, files, _, _ = socket.recv_fds(self._socket, 16, _FILES)
            if len(files) == _FILES:
                return StepMemory(files)
        return None


def _address(run: str, conductor: int, node: int) -> str:
    """An abstract address, from the run and both processes: it is in no file system, and ends with the conductor's."""
    return f"\0hetwin/steps/{run}/{conductor}/{node}"


def _poll(file: int, timeout_ms: float) -> bool:
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(timeout_ms))
