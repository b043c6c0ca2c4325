"""The twin's side of the process of a robot's program."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from hetwin_suite.harness import ending, where_it_hangs

CALLER = "program/main.py"
"""File that calls the program."""
_STDERR = 2
"""File descriptor to which a program prints."""
_EXIT_TIMEOUT_S = 1.0
"""Time limit for the end of a process that has closed the connection."""


class ReceiveTimeout(Exception):
    """No message arrived within the time limit."""


class ProgramExited(Exception):
    """The process has ended; the text states how."""


class ProgramProcess:
    """A new process that runs programs of robots; it only gets messages.

    It ends with this process, since its end of a pipe is closed then, whatever the program is doing.
    """

    def __init__(self) -> None:
        own_end, child_end = socket.socketpair()
        life, self._life = os.pipe()
        self._stacks, stacks = os.pipe()
        fds = (child_end.fileno(), life, stacks)
        # `-c` keeps the working folder off the path, where modules of any name may be.
        code = "from hetwin_programs.program.main import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, fds)],
            pass_fds=fds,
            stdin=subprocess.DEVNULL,
            stdout=_STDERR,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            start_new_session=True,
        )
        child_end.close()
        os.close(life)
        os.close(stacks)
        self._connection = Connection(own_end.detach())

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def send(self, message: object) -> None:
        """Send a message.

        Raises:
            ProgramExited: if the process has ended.
        """
        try:
            self._connection.send(message)
        except OSError:
            raise ProgramExited(self._end()) from None

    def receive(self, seconds: float) -> Any:
        """Return the next message.

        Raises:
            ReceiveTimeout: if none arrives within `seconds` of real time.
            ProgramExited: if the process has ended.
        """
        try:
            if not self._connection.poll(max(0.0, seconds)):
                raise ReceiveTimeout
            return self._connection.recv()
        except (EOFError, OSError):
            raise ProgramExited(self._end()) from None

    def where(self) -> str:
        """The location in the program's code, as the end of a sentence; empty if unknown."""
        where = where_it_hangs(self.pid, self._stacks, CALLER)
        return f"; it is in {where}" if where else ""

    def close(self) -> None:
        """End the process and its children; calling this again does nothing."""
        if self._connection.closed:
            return
        self._connection.close()
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._life)
        os.close(self._stacks)

    def _end(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT_TIMEOUT_S)
        code = self._process.poll()
        return (
            "its process has closed the connection"
            if code is None
            else f"its process {ending(code)}"
        )
