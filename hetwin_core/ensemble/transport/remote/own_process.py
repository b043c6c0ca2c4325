"""The process of a model on this machine, in a run without ROS."""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.model import Model
from hetwin_core.ensemble.scenario.scenario import ModelPlan
from hetwin_core.ensemble.supervision.parting import detach, parting
from hetwin_core.ensemble.supervision.stacks import where_it_hangs
from hetwin_core.ensemble.supervision.watched_process import ending
from hetwin_core.ensemble.transport.remote.memory import FlatMessage, MemoryChannel
from hetwin_core.ensemble.transport.remote.port import Peer
from hetwin_core.ensemble.transport.remote.server import ModelServer

CALLER = "remote/server.py"
"""Where the model is called."""
REGULAR_END_S = 1.0


class OwnProcess(Peer):
    """A process forked from this one that serves a model; it ends with this one, even if the model hangs.

    It is forked rather than started anew: that takes a few milliseconds instead of the time of all imports, and finds
    every class that this process has.
    """

    def __init__(self, plan: ModelPlan) -> None:
        super().__init__(plan)
        self._forked: _Forked | None = None

    def connect(self) -> tuple[str, int]:
        """Start the process."""
        self._forked = _Forked(self.plan.cls)
        return socket.gethostname(), self._forked.pid

    @property
    def is_reached(self) -> bool:
        """Whether there is a process; one that hangs is ended at once."""
        return self._forked is not None

    def send(self, call: FlatMessage) -> None:
        """Send a call."""
        if self._forked is None:
            raise self.failure(call.call, "it has been stopped")
        self._forked.channel.request(call)

    def result(self, call: str, until: float) -> FlatMessage | None:
        """Wait for the result of the call."""
        forked = self._forked
        assert forked is not None
        result = forked.channel.reply_until(until, forked.is_running)
        if result is None and not forked.is_running():
            raise self.failure(call, self._end())
        return result

    def too_late(self, call: str, deadline_s: float) -> RunFailed:
        """End the process; the failure says where it was."""
        assert self._forked is not None
        place = where_it_hangs(self._forked.pid, self._forked.stacks, CALLER)
        self._end()
        where = f"; it is in {place}" if place else ""
        return self.failure(call, f"no answer within its deadline of {deadline_s:g} s{where}")

    def end(self, failure: RunFailed | None) -> RunFailed | None:
        """Let the process end, or kill it."""
        self._end(REGULAR_END_S if failure is None else 0.0)
        return failure

    def give_up(self) -> None:
        """Nothing more than `end` has done."""

    def renew(self) -> None:
        """The next connection starts another process."""

    def _end(self, patience_s: float = 0.0) -> str:
        """End the process, if there still is one; returns how it ended."""
        forked, self._forked = self._forked, None
        return "" if forked is None else forked.end(patience_s)


class _Forked:
    """The process itself, and what is shared with it."""

    def __init__(self, cls: type[Model]) -> None:
        self.channel = MemoryChannel.make()
        self.stacks, stacks = os.pipe()
        parent = os.getpid()
        with parting():
            self.pid = os.fork()
            if self.pid == 0:
                _serve_and_exit(cls, self.channel, stacks, parent)
        os.close(stacks)
        self._handle = os.pidfd_open(self.pid)

    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return not self._ends_within(0.0)

    def end(self, patience_s: float) -> str:
        """Let it end by itself for so many seconds, then kill it; returns how it ended, as the end of a sentence."""
        self._ends_within(patience_s)
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        self.channel.close()
        os.close(self._handle)
        os.close(self.stacks)
        return f"its process {ending(os.waitstatus_to_exitcode(status))}"

    def _ends_within(self, seconds: float) -> bool:
        return bool(select.select([self._handle], [], [], seconds)[0])


def _serve_and_exit(cls: type[Model], channel: MemoryChannel, stacks: int, parent: int) -> None:
    """What the process does; it never returns into what the parent was doing."""
    code = 1
    gc.freeze()  # what the parent had is never collected here, see `watched_child`
    try:
        detach(stacks, signal.SIGKILL)
        server = ModelServer(cls)
        while os.getppid() == parent and not server.is_over:
            server.serve_next(channel)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)
