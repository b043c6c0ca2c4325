"""The process of a model on this machine, in a run without ROS."""

from __future__ import annotations

import gc
import os
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
from hetwin_core.ensemble.supervision.watched_process import WatchedProcess
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
        self._pid = 0
        self._process: WatchedProcess | None = None
        self._channel: MemoryChannel
        self._stacks = -1

    def connect(self) -> tuple[str, int]:
        """Start the process."""
        self._channel = MemoryChannel.make()
        self._stacks, stacks = os.pipe()
        parent = os.getpid()
        with parting():
            self._pid = os.fork()
            if self._pid == 0:
                _serve_and_exit(self.plan.cls, self._channel, stacks, parent)
        os.close(stacks)
        self._process = WatchedProcess(socket.gethostname(), self._pid)
        return socket.gethostname(), self._pid

    @property
    def is_reached(self) -> bool:
        """Whether there is a process; one that hangs is ended at once."""
        return self._process is not None

    def send(self, call: FlatMessage) -> None:
        """Send a call."""
        if self._process is None:
            raise self.failure(call.call, "it has been stopped")
        self._channel.request(call)

    def result(self, call: str, until: float) -> FlatMessage | None:
        """Wait for the result of the call."""
        process = self._process
        assert process is not None
        result = self._channel.reply_until(until, lambda: not process.has_ended())
        if result is None and process.has_ended():
            reason = process.how_it_ended()
            self.end(None)
            raise self.failure(call, reason)
        return result

    def too_late(self, call: str, deadline_s: float) -> RunFailed:
        """End the process; the failure says where it was."""
        place = where_it_hangs(self._pid, self._stacks, CALLER)
        where = f"; it is in {place}" if place else ""
        failure = self.failure(call, f"no answer within its deadline of {deadline_s:g} s{where}")
        self.end(failure)
        return failure

    def end(self, failure: RunFailed | None) -> RunFailed | None:
        """Let the process end if it has not failed, or kill it."""
        process, self._process = self._process, None
        if process is not None:
            process.has_ended(REGULAR_END_S if failure is None else 0.0)
            process.kill()
            os.waitpid(self._pid, 0)
            process.close()
            self._channel.close()
            os.close(self._stacks)
        return failure

    def renew(self) -> None:
        """The next connection starts another process."""


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
