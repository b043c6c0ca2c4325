"""Another process on this machine: whether it still runs, and how it ended."""

from __future__ import annotations

import os
import select
import signal
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path


class WatchedProcess:
    """A process, not necessarily a child of this one.

    Args:
        host: of the process; one on another machine is not watched.
        pid: its id.
        place: where that id holds, as `here` has it; a container that shares the name of its host has another one.
            Empty: everywhere on the host.
    """

    def __init__(self, host: str, pid: int, place: str = "") -> None:
        self._pid = pid
        self._handle: int | None = None
        if place == here() if place else host == socket.gethostname():
            with suppress(OSError):
                self._handle = os.pidfd_open(pid)

    @property
    def is_here(self) -> bool:
        """Whether it can be watched and killed."""
        return self._handle is not None

    @property
    def shares_group(self) -> bool:
        """Whether it is in this process's group, so that signals to the group reach both."""
        try:
            return self.is_here and os.getpgid(self._pid) == os.getpgid(0)
        except ProcessLookupError:
            return False

    def has_ended(self, within_s: float = 0.0) -> bool:
        """Whether it is known to have ended, or is so within some seconds."""
        return self._handle is not None and bool(select.select([self._handle], [], [], within_s)[0])

    @property
    def failed(self) -> bool:
        """Whether it is known to have ended in another way than with code 0."""
        return self.has_ended() and bool(self._status())

    def how_it_ended(self) -> str:
        """How it ended, as the end of a sentence."""
        status = self._status()
        if status is None:
            return f"its process ({self._pid}) has ended"
        if status & 0x7F:
            return f"its process was killed by {signal.Signals(status & 0x7F).name}"
        return f"its process ended with code {status >> 8}"

    def _status(self) -> int | None:
        """The wait status of a process that has ended and was not waited for; None if it is not known."""
        with suppress(OSError, IndexError, ValueError):
            fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
            if fields[0] == "Z":
                return int(fields[-1])
        return None

    def kill(self) -> None:
        """End it at once."""
        if self._handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def close(self) -> None:
        """Stop watching."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


@cache
def here() -> str:
    """Where a process id of this process means the same process: the boot, and the PID namespace; empty if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


def ending(code: int) -> str:
    """How a process ended, from its return code, e.g. ``was killed by SIGSEGV``."""
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def ended_child(pid: int) -> int | None:
    """Return code of a child that has ended, None if it has not.

    It is not waited for, so that others can still read how it ended.

    Raises:
        ChildProcessError: if it was waited for already.
    """
    found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
