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
from hetwin_core.ensemble.supervision.watched import STDERR, detach, ending, parting
from hetwin_suite._study.work import Done, Result, Task

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
    again = os.open(_DESCRIPTORS / str(descriptor), os.O_RDONLY | os.O_CLOEXEC)
    os.lseek(again, position, os.SEEK_SET)
    os.dup2(again, descriptor, inheritable=os.get_inheritable(descriptor))
    os.close(again)


LOOK_S = 0.1
GC_THRESHOLDS = (50_000, 20, 20)
"""Thresholds of the garbage collector; with Python's defaults it takes a twentieth of a run's time."""
_EXTRA_DEPTH = 1000
"""Increase of the recursion limit in a fork, which starts inside its parent's nested calls."""
FORKED, DIED = 0, 1


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
            os._exit(DIED)
        if assignment is None:
            os._exit(FORKED)
        return replace(self, task=assignment[0], more=assignment[1])

    def end(self, result: Result) -> NoReturn:
        """Send the result, and exit the process immediately, without the parent's exit handlers."""
        code = DIED
        try:
            self._pipe.send_bytes(pickle.dumps(_Report(result, time.process_time(), is_last=True)))
            code = FORKED
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
    ) -> Generator[Done[Task, Any] | Forked[Task, Any], None, None]:
        """Yield finished tasks in the parent, and a single `Forked` in each fork.

        A fork must not iterate any further: it calls `Forked.next` for further tasks, or `Forked.end` to exit.

        Args:
            tasks: taken one by one as forks become free; a fork's first task need not be picklable, further ones must.
            until: time of `time.monotonic` at which running forks are killed and no more are made; None: no limit.
        """
        waiting, parent = _Waiting(tasks), os.getpid()
        copies: list[_Copy[Task]] = []
        # A full collection would delay the first result of a prediction.
        gc.collect(1)
        gc.freeze()  # collections in the forks do not touch present objects, whose memory stays shared
        try:
            while not _over(until):
                while len(copies) < self._jobs and waiting.any:
                    forked = _fork(waiting, copies)
                    if forked is not None:
                        yield forked
                if not copies:
                    return
                wait([copy.pipe for copy in copies], _look_s(until))
                self._look()
                yield from self._ended(copies, waiting, until)
        finally:
            if os.getpid() == parent:
                for copy in copies:
                    copy.kill()
                gc.unfreeze()

    def _ended(
        self, copies: list[_Copy[Task]], waiting: _Waiting[Task], until: float | None
    ) -> Iterator[Done[Task, Any]]:
        """Yield the tasks that have ended, and give waiting tasks to the forks that can do more."""
        for copy in tuple(copies):
            ended = copy.ended() or self._hanging(copy)
            if ended is None:
                continue
            if ended.died and self._on_retry is not None and waiting.put_back(ended.task):
                self._on_retry(f"{ended.lost} in {ended.task}, which is done again")
                copies.remove(copy)
                continue
            if waiting.any and not copy.is_over and not _over(until):
                copy.go_on(waiting)
            else:
                copies.remove(copy)
                ended = ended._replace(processor_s=ended.processor_s + copy.end())
            yield ended

    def _hanging(self, copy: _Copy[Task]) -> Done[Task, Any] | None:
        """Kill a fork with an overdue call, and return its task as lost; None if no call is overdue."""
        why = self._overdue(copy.heartbeat)
        if why is None:
            return None
        line = where_it_hangs(copy.pid, copy.stacks)
        why = f"{why}; it is in {line}" if line else why
        return Done(copy.task, None, why, processor_s=copy.kill())


class _Waiting(Generic[Task]):
    """Tasks that are not yet assigned to a fork."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = iter(tasks)
        self._next = list(islice(self._tasks, 1))
        self._died: list[Task] = []

    @property
    def any(self) -> bool:
        """Whether a task is waiting."""
        return bool(self._next)

    def take(self) -> Task:
        """Remove and return the next task; there must be one."""
        task = self._next.pop(0)
        if not self._next:
            self._next = list(islice(self._tasks, 1))
        return task

    def put_back(self, task: Task) -> bool:
        """Queue the task of a dead fork again, unless it was retried before; returns whether it was queued."""
        if any(one is task for one in self._died):
            return False
        self._died.append(task)
        self._next.insert(0, task)
        return True


class _Copy(Generic[Task]):
    """The parent's view of a fork.

    Attributes:
        task: its present task.
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

    def ended(self) -> Done[Task, Any] | None:
        """Return the result of its task; None while it is running."""
        try:
            if not self.pipe.poll():
                return None
            report: _Report = pickle.loads(self.pipe.recv_bytes())
        except (EOFError, ConnectionResetError):
            took = self._wait()
            why = f"its worker (process {self.pid}) {ending(self._code or 0)}"
            return Done(self.task, None, why, died=True, processor_s=took)
        took, self._reported_s = report.processor_s - self._reported_s, report.processor_s
        self.is_over = report.is_last
        return Done(self.task, report.result, processor_s=took)

    def go_on(self, waiting: _Waiting[Task]) -> None:
        """Send it the next task; if it has died meanwhile, `ended` reports the task as lost."""
        self.task = waiting.take()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.pipe.send_bytes(pickle.dumps((self.task, waiting.any)))

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


def _fork(waiting: _Waiting[Task], copies: list[_Copy[Task]]) -> Forked[Task, Any] | None:
    """Fork for the next task; returns the task in the fork, None in the parent."""
    heartbeat, parent, task = Heartbeat(), os.getpid(), waiting.take()
    ours, theirs = Pipe()
    stacks, to_stacks = os.pipe()
    with parting():
        pid = os.fork()
        if pid == 0:
            _become_a_copy(parent, to_stacks)
    if pid:
        theirs.close()
        os.close(to_stacks)
        copies.append(_Copy(task, pid, ours, stacks, heartbeat))
        return None
    copies.clear()  # they are the parent's
    ours.close()
    return Forked(task, waiting.any, heartbeat, theirs)


def _become_a_copy(parent: int, stacks: int) -> None:
    detach(stacks, signal.SIGKILL)
    if os.getppid() != parent:  # the parent exited before this fork asked to be killed with it
        os._exit(DIED)
    faulthandler.enable(STDERR)
    gc.set_threshold(*GC_THRESHOLDS)
    sys.setrecursionlimit(sys.getrecursionlimit() + _EXTRA_DEPTH)
    reopen_files()


def _look_s(until: float | None) -> float:
    """Return the longest time to wait for a report [s]."""
    return LOOK_S if until is None else min(LOOK_S, max(0.0, until - time.monotonic()))


def _over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until
