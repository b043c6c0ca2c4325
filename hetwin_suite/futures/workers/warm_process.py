"""One process that was forked when everything was loaded, and does one task after the other."""

from __future__ import annotations

import faulthandler
import gc
import multiprocessing
import os
import signal
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Generic

from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.supervision.parting import STDERR, detach, parting
from hetwin_core.ensemble.supervision.stacks import where_it_hangs
from hetwin_core.ensemble.supervision.watched_process import ending
from hetwin_suite.futures.workers.work import Job, Result, Task

SELDOM = (50_000, 20, 20)
"""Thresholds of the garbage collection, which otherwise takes a twentieth of a run."""
END_S = 2.0
"""How long a worker may take to end by itself."""


class WarmProcess(Generic[Task, Result]):
    """A worker; it ends with this process.

    Args:
        job: what it does with each task; it was warmed in this process.
        number: of the worker, from 1.
    """

    def __init__(self, job: Job[Task, Result], number: int) -> None:
        self.task: Task | None = None
        self._job = job
        self._heartbeat = Heartbeat()
        fork = multiprocessing.get_context("fork")
        self.pipe, theirs = fork.Pipe()
        self._stacks, stacks = os.pipe()
        self._process = fork.Process(
            target=_serve, args=(job, theirs, stacks, self._heartbeat), name=f"worker {number}"
        )
        with parting():
            self._process.start()
        theirs.close()
        os.close(stacks)
        self.number = number

    @property
    def name(self) -> str:
        """Its number and process, for people."""
        return f"worker {self.number} (process {self._process.pid})"

    @property
    def sentinel(self) -> int:
        """Becomes ready when it ends."""
        return self._process.sentinel

    def begin(self, task: Task) -> None:
        """Give it a task; one that is dying is noticed afterwards."""
        self.task = task
        with suppress(BrokenPipeError):
            self.pipe.send((task,))

    def arrived(self) -> tuple[Result | None, str] | None:
        """Return the result of its task, or why there is none; None if neither is there yet."""
        try:
            return self.pipe.recv() if self.pipe.poll() else None
        except (EOFError, ConnectionResetError):
            return None

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.is_alive()

    def how_it_ended(self) -> str:
        """How it ended, as the end of a sentence."""
        self._process.join()
        return ending(self._process.exitcode or 0)

    def overdue(self) -> str | None:
        """Return why its task takes too long; None if it does not."""
        why = self._job.overdue(self._heartbeat)
        if why is None:
            return None
        place = where_it_hangs(self._process.pid, self._stacks)
        return f"{why}; it is in {place}" if place else why

    def end(self) -> None:
        """End it, at once if it is at work."""
        if self.task is None:
            with suppress(BrokenPipeError):
                self.pipe.send(None)
            self._process.join(END_S)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self.pipe.close()
        os.close(self._stacks)


def _serve(job: Job[Any, Any], pipe: Connection, stacks: int, heartbeat: Heartbeat) -> None:
    detach(stacks, signal.SIGTERM)
    faulthandler.enable(STDERR)
    gc.freeze()  # what was loaded before stays, and is not looked at again
    gc.set_threshold(*SELDOM)
    while True:
        try:
            given = pipe.recv()
        except EOFError:
            return
        if given is None:
            return
        pipe.send(_done(job, given[0], heartbeat))


def _done(job: Job[Any, Any], task: Any, heartbeat: Heartbeat) -> tuple[Any, str]:
    try:
        return job.do(task, heartbeat), ""
    except HetwinError as error:
        return None, str(error)
    except Exception as error:
        traceback.print_exc()
        return None, f"{type(error).__name__}: {error}"
