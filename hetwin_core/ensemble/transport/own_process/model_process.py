"""The process of a model, as the conductor's process sees it."""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import time
import traceback
from contextlib import suppress

from hetwin_core.ensemble.model import Model
from hetwin_core.ensemble.supervision.parting import detach, parting
from hetwin_core.ensemble.supervision.stacks import where_it_hangs
from hetwin_core.ensemble.supervision.watched_process import ending
from hetwin_core.ensemble.transport.own_process.link import Link
from hetwin_core.ensemble.transport.own_process.served_model import serve

CALLER = "own_process/served_model.py"
"""Where the model is called."""


class ModelProcess:
    """A process forked from this one that serves a model; it ends with this one, even if the model hangs.

    It is forked rather than started anew: that takes a few milliseconds instead of the time of all imports, and finds
    every class that this process has.

    Args:
        cls: of the model.
    """

    def __init__(self, cls: type[Model]) -> None:
        self.link = Link()
        self._stacks, stacks = os.pipe()
        parent = os.getpid()
        with parting():
            self.pid = os.fork()
            if self.pid == 0:
                _serve_and_exit(cls, self.link, stacks, parent)
        os.close(stacks)
        self.link.model.close()
        self._handle = os.pidfd_open(self.pid)

    def wait_for(self, source: int, until: float) -> bool:
        """Wait until there is something to read, or the process has ended.

        Args:
            source: file descriptor.
            until: when to give up, by `time.monotonic` [s].

        Returns:
            Whether there is.
        """
        poll = select.poll()
        poll.register(source, select.POLLIN)
        poll.register(self._handle, select.POLLIN)
        left_ms = max(0.0, until - time.monotonic()) * 1e3
        return any(fd == source and flags & select.POLLIN for fd, flags in poll.poll(left_ms))

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return bool(select.select([self._handle], [], [], 0)[0])

    def place(self) -> str:
        """Where it hangs, as the end of a sentence; empty if that cannot be seen."""
        place = where_it_hangs(self.pid, self._stacks, CALLER)
        return f"; it is in {place}" if place else ""

    def end(self, patience_s: float = 0.0) -> str:
        """Let it end by itself for so many seconds, then kill it.

        Returns:
            How it ended, as the end of a sentence.
        """
        self.wait_for(self._handle, time.monotonic() + patience_s)
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        self.link.close()
        os.close(self._handle)
        os.close(self._stacks)
        return f"its process {ending(os.waitstatus_to_exitcode(status))}"


def _serve_and_exit(cls: type[Model], link: Link, stacks: int, parent: int) -> None:
    """What the process does; it never returns into what the parent was doing."""
    code = 1
    gc.freeze()  # what the parent had is never collected here, see `watched_child`
    try:
        detach(stacks, signal.SIGKILL)
        link.conductor.close()
        if os.getppid() == parent:  # else it has ended already, and no signal comes
            serve(cls, link)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)
