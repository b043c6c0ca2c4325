"""Forks of this process as workers: each fork starts with one task, and may do further tasks."""

from __future__ import annotations

import faulthandler
import fcntl
import gc
import os
import pickle
import signal
import stat
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, Generic, NamedTuple, NoReturn

from hetwin_core.ensemble.supervision.heartbeat import Heartbeat, where_it_hangs
from hetwin_core.ensemble.supervision.watched import STDERR, blocking_signals, detach, ending
from hetwin_suite._study.work import FinishedTask, Result, Task

_DESCRIPTORS = Path("/proc/self/fd")


def reopen_files() -> None:
    """Reopen each read-only file at its current position, so that a fork has its own file positions."""
    for number in [int(entry.name) for entry in _DESCRIPTORS.iterdir()]:
        with suppress(OSError):  # the descriptor of the folder itself is closed by now
            _reopen(number)


def _reopen(descriptor: int) -> None:
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    if flags & os.O_ACCMODE != os.O_RDONLY or not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    reopened = os.open(_DESCRIPTORS / str(descriptor), os.O_RDONLY | os.O_CLOEXEC)
    os.lseek(reopened, position, os.SEEK_SET)
    os.dup2(reopened, descriptor, inheritable=os.get_inheritable(descriptor))
    os.close(reopened)


POLL_PERIOD_S = 0.1
GC_THRESHOLDS = (50_000, 20, 20)
"""Thresholds of the garbage collector; with Python's defaults it takes a twentieth of a run's time."""
_EXTRA_DEPTH = 1000
"""Increase of the recursion limit in a fork, which starts inside its parent's nested calls."""
EXIT_DONE, EXIT_FAILED = 0, 1


@dataclass(frozen=True)
class Forked(Generic[Task, Result]):
    """The fork's own view: its task, and its connection to the parent.

    Attributes:
        task: the task to do.
        more: whether further tasks are waiting.
        heartbeat: record of the model calls in progress, watched by the parent.
    """

    task: Task
    more: bool
    heartbeat: Heartbeat
    _pipe: Connection

    def next(self, result: Result) -> Forked[Task, Result]:
        """Send the result, and return the next task; if there is none, exit the process.

        Only a fork that can restore its initial state may do more than one task.
        """
        try:
            self._pipe.send_bytes(pickle.dumps(_Report(result, time.process_time(), is_last=False)))
            assignment: tuple[Task, bool] | None = pickle.loads(self._pipe.recv_bytes())
        except Exception:
            traceback.print_exc()
            os._exit(EXIT_FAILED)
        if assignment is None:
            os._exit(EXIT_DONE)
        return replace(self, task=assignment[0], more=assignment[1])

    def end(self, result: Result) -> NoReturn:
        """Send the result, and exit the process immediately, without the parent's exit handlers."""
        code = EXIT_FAILED
        try:
            self._pipe.send_bytes(pickle.dumps(_Report(result, time.process_time(), is_last=True)))
            code = EXIT_DONE
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(code)


class _Report(NamedTuple):
    """A fork's report: a task's result, the fork's processor time so far [s], and whether it exits now."""

    result: Any
    processor_s: float
    is_last: bool


class Forks:
    """Forks this process for tasks, and collects the forks' reports.

    The forks are killed when this process exits. Each fork has its own file positions. Threads of this process do not
    exist in the forks.

    Args:
        jobs: number of simultaneous forks; None: one per core.
        overdue: describes the call of a fork that exceeds its deadline; None if none does.
        look: called several times a second.
        on_retry: called with a message when a fork has died and its task is given to another one; None: the task is
            not retried.
    """

    def __init__(
        self,
        jobs: int | None,
        overdue: Callable[[Heartbeat], str | None],
        look: Callable[[], None] = lambda: None,
        on_retry: Callable[[str], None] | None = None,
    ) -> None:
        self._jobs = jobs or os.cpu_count() or 1
        self._overdue = overdue
        self._look = look
        self._on_retry = on_retry

    def work(
        self, tasks: Iterable[Task], until: float | None = None
    ) -> Generator[FinishedTask[Task, Any] | Forked[Task, Any], None, None]:
        """Yield finished tasks in the parent, and a single `Forked` in each fork.

        A fork must not iterate any further: it calls `Forked.next` for further tasks, or `Forked.end` to exit.

        Args:
            tasks: taken one by one as forks become free; a fork's first task need not be picklable, further ones must.
            until: time of `time.monotonic` at which running forks are killed and no more are made; None: no limit.
        """
        queue, parent = _TaskQueue(tasks), os.getpid()
        forks: list[_Fork[Task]] = []
        # A full collection would delay the first result of a prediction.
        gc.collect(1)
        gc.freeze()  # collections in the forks do not touch existing objects, whose memory stays shared
        try:
            while not _is_past(until):
                while len(forks) < self._jobs and queue.has_task:
                    forked = _fork(queue, forks)
                    if forked is not None:
                        yield forked
                if not forks:
                    return
                wait([fork.pipe for fork in forks], _timeout_s(until))
                self._look()
                yield from self._finished_tasks(forks, queue, until)
        finally:
            if os.getpid() == parent:
                for fork in forks:
                    fork.kill()
                gc.unfreeze()

    def _finished_tasks(
        self, forks: list[_Fork[Task]], queue: _TaskQueue[Task], until: float | None
    ) -> Iterator[FinishedTask[Task, Any]]:
        """Yield the tasks that have ended, and give waiting tasks to the forks that can do more."""
        for fork in tuple(forks):
            finished = fork.result() or self._kill_overdue(fork)
            if finished is None:
                continue
            if finished.died and self._on_retry is not None and queue.put_back(finished.task):
                self._on_retry(f"{finished.lost} in {finished.task}, which is retried")
                forks.remove(fork)
                continue
            if queue.has_task and not fork.is_over and not _is_past(until):
                fork.assign(queue)
            else:
                forks.remove(fork)
                finished = finished._replace(processor_s=finished.processor_s + fork.end())
            yield finished

    def _kill_overdue(self, fork: _Fork[Task]) -> FinishedTask[Task, Any] | None:
        """Kill a fork with an overdue call, and return its task as lost; None if no call is overdue."""
        reason = self._overdue(fork.heartbeat)
        if reason is None:
            return None
        line = where_it_hangs(fork.pid, fork.stacks)
        reason = f"{reason}; it is in {line}" if line else reason
        return FinishedTask(fork.task, None, reason, processor_s=fork.kill())


class _TaskQueue(Generic[Task]):
    """Tasks that are not yet assigned to a fork."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = iter(tasks)
        self._next = list(islice(self._tasks, 1))
        self._retried: list[Task] = []

    @property
    def has_task(self) -> bool:
        """Whether a task is waiting."""
        return bool(self._next)

    def take(self) -> Task:
        """Remove and return the next task; there must be one."""
        task = self._next.pop(0)
        if not self._next:
            self._next = list(islice(self._tasks, 1))
        return task

    def put_back(self, task: Task) -> bool:
        """Queue the task of a dead fork once more, unless it was retried before; returns whether it was queued."""
        if any(retried is task for retried in self._retried):
            return False
        self._retried.append(task)
        self._next.insert(0, task)
        return True


class _Fork(Generic[Task]):
    """The parent's view of a fork.

    Attributes:
        task: its current task.
        is_over: whether it has exited, or is about to exit by itself.
    """

    def __init__(
        self, task: Task, pid: int, pipe: Connection, stacks: int, heartbeat: Heartbeat
    ) -> None:
        self.task, self.pid, self.pipe, self.stacks = task, pid, pipe, stacks
        self.heartbeat = heartbeat
        self.is_over = False
        self._code: int | None = None
        self._reported_s = 0.0

    def result(self) -> FinishedTask[Task, Any] | None:
        """Return the result of its task; None while it is running."""
        try:
            if not self.pipe.poll():
                return None
            report: _Report = pickle.loads(self.pipe.recv_bytes())
        except (EOFError, ConnectionResetError):
            spent_s = self._wait()
            reason = f"its worker (process {self.pid}) {ending(self._code or 0)}"
            return FinishedTask(self.task, None, reason, died=True, processor_s=spent_s)
        spent_s, self._reported_s = report.processor_s - self._reported_s, report.processor_s
        self.is_over = report.is_last
        return FinishedTask(self.task, report.result, processor_s=spent_s)

    def assign(self, queue: _TaskQueue[Task]) -> None:
        """Send it the next task; if it has died meanwhile, `result` reports the task as lost."""
        self.task = queue.take()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.pipe.send_bytes(pickle.dumps((self.task, queue.has_task)))

    def end(self) -> float:
        """Let it exit; returns its processor time since its last report [s]."""
        if not self.is_over:
            with suppress(BrokenPipeError, ConnectionResetError):
                self.pipe.send_bytes(pickle.dumps(None))
        return self._wait()

    def kill(self) -> float:
        """Kill it; returns its processor time since its last report [s]."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return self._wait()

    def _wait(self) -> float:
        self.is_over = True
        if self._code is not None:
            return 0.0
        _, status, used = os.wait4(self.pid, 0)
        self._code = os.waitstatus_to_exitcode(status)
        self.pipe.close()
        os.close(self.stacks)
        return max(0.0, used.ru_utime + used.ru_stime - self._reported_s)


def _fork(queue: _TaskQueue[Task], forks: list[_Fork[Task]]) -> Forked[Task, Any] | None:
    """Fork for the next task; returns the task in the fork, None in the parent."""
    heartbeat, parent, task = Heartbeat(), os.getpid(), queue.take()
    ours, theirs = Pipe()
    stacks, to_stacks = os.pipe()
    with blocking_signals():
        pid = os.fork()
        if pid == 0:
            _set_up_fork(parent, to_stacks)
    if pid:
        theirs.close()
        os.close(to_stacks)
        forks.append(_Fork(task, pid, ours, stacks, heartbeat))
        return None
    forks.clear()  # they are the parent's
    ours.close()
    return Forked(task, queue.has_task, heartbeat, theirs)


def _set_up_fork(parent: int, stacks: int) -> None:
    detach(stacks, signal.SIGKILL)
    if os.getppid() != parent:  # the parent exited before this fork asked to be killed with it
        os._exit(EXIT_FAILED)
    faulthandler.enable(STDERR)
    gc.set_threshold(*GC_THRESHOLDS)
    sys.setrecursionlimit(sys.getrecursionlimit() + _EXTRA_DEPTH)
    reopen_files()


def _timeout_s(until: float | None) -> float:
    """Return the longest time to wait for a report [s]."""
    return (
        POLL_PERIOD_S if until is None else min(POLL_PERIOD_S, max(0.0, until - time.monotonic()))
    )


def _is_past(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until
