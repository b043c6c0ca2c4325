"""Processes of nodes: how they are started, and whether one still lives."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

MODEL_NODE = "hetwin_suite.model_nodes.ros_node"
CONDUCTOR_NODE = "hetwin_suite.conductor_node.main"


def start_node(
    module: str, name: str, namespace: str, parameters: Mapping[str, object]
) -> subprocess.Popen[bytes]:
    """Start a node in a session of its own, so that a Ctrl-C at the terminal does not reach it."""
    command = [sys.executable, "-m", module, "--ros-args", "-r", f"__node:={name}"]
    if namespace.strip("/"):
        command += ["-r", f"__ns:=/{namespace.strip('/')}"]
    for key, value in parameters.items():
        command += ["-p", f"{key}:={value}"]
    return subprocess.Popen(
        command, stdout=sys.stderr, stdin=subprocess.DEVNULL, start_new_session=True
    )


class Watched:
    """Another process on this machine, whoever started it.

    Args:
        host: of the process; one of another machine is not watched.
        pid: its id.
    """

    def __init__(self, host: str, pid: int) -> None:
        self._pid = pid
        self._handle: int | None = None
        if host == socket.gethostname():
            with suppress(OSError):
                self._handle = os.pidfd_open(pid)

    @property
    def is_here(self) -> bool:
        """Whether it can be watched and killed."""
        return self._handle is not None

    def has_ended(self) -> bool:
        """Whether it is known to have ended."""
        return self._handle is not None and bool(select.select([self._handle], [], [], 0)[0])

    def how_it_ended(self) -> str:
        """In words."""
        with suppress(OSError, IndexError, ValueError):
            fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
            status = int(fields[-1])
            if fields[0] == "Z" and status & 0x7F:
                return f"its process was killed by {signal.Signals(status & 0x7F).name}"
            if fields[0] == "Z":
                return f"its process ended with code {status >> 8}"
        return f"its process ({self._pid}) has ended"

    def kill(self) -> None:
        """End it at once."""
        if self._handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def close(self) -> None:
        """Watch no longer."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
