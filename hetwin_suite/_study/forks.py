"""Processes that go on from here: each is a copy of this one with a task of its own, and may take more of them."""

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


def open_anew() -> None:
    """Open each file that is only read again, at the position where it is; done in the forked process."""
    for number in [int(entry.name) for entry in _DESCRIPTORS.iterdir()]:
        with suppress(OSError):  # one is that of the folder itself, closed by now
            _open_anew(number)


def _open_anew(descriptor: int) -> None:
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    if flags & os.O_ACCMODE != os.O_RDONLY or not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    again = os.open(_DESCRIPTORS / str(descriptor), os.O_RDONLY | os.O_CLOEXEC)
    os.lseek(again, position, os.SEEK_SET)
    os.dup2(again, descriptor, inheritable=os.get_inheritable(descriptor))
    os.close(again)


LOOK_S = 0.1
SELDOM = (50_000, 20, 20)
"""Thresholds of the garbage collection, which otherwise takes a twentieth of a run."""
_OWN_DEPTH = 1000
"""Calls within each other that a copy may have beside those in which it was forked."""
FORKED, DIED = 0, 1


@dataclass(frozen=True)
class Forked(Generic[Task, Result]):
    """This process is a copy, and has this to do.

    Attributes:
        task: the done one.
        more: whether other tasks wait that the copy could do then.
        heartbeat: where the calls that are under way are to be written.
    """

    task: Task
    more: bool
    heartbeat: Heartbeat
    _pipe: Connection

    def next(self, result: Result) -> Forked[Task, Result]:
        """Send the result, and return the next task; without one the process ends.

        Only a copy that can come back to where it was forked may do more than one task.
        """
        try:
            self._pipe.send_bytes(pickle.dumps(_Told(result, time.process_time(), is_last=False)))
            going_on: tuple[Task, bool] | None = pickle.loads(self._pipe.recv_bytes())
        except Exception:
            traceback.print_exc()
            os._exit(DIED)
        if going_on is None:
            os._exit(FORKED)
        return replace(self, task=going_on[0], more=going_on[1])

    def end(self, result: Result) -> NoReturn:
        """Send the result, and end the process at once, without anything that the parent would do at its end."""
        code = DIED
        try:
            self._pipe.send_bytes(pickle.dumps(_Told(result, time.process_time(), is_last=True)))
            code = FORKED
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(code)


class _Told(NamedTuple):
    """A copy's report: a result, its processor time so far [s], and whether it ends with it."""

    result: Any
    processor_s: float
    is_last: bool


class Forks:
    """Forks this process again and again, and collects the copies' reports.

    The copies end with this process. Each has opened its files anew, so that it reads on by itself. This process must
    have no other threads that matter, for they do not go on.

    Args:
        jobs: how many copies at a time; None: one per core.
        overdue: returns which call of a copy takes too long, in words; None if none does.
        look: is called several times a second.
        again: is called with words about a copy that has died, whose task another does once more; None: it is lost.
    """

    def __init__(
        self,
        jobs: int | None,
        overdue: Callable[[Heartbeat], str | None],
        look: Callable[[], None] = lambda: None,
        again: Callable[[str], None] | None = None,
    ) -> None:
        self._jobs = jobs or os.cpu_count() or 1
        self._overdue = overdue
        self._look = look
        self._again = again

    def work(
        self, tasks: Iterable[Task], until: float | None = None
    ) -> Generator[Done[Task, Any] | Forked[Task, Any], None, None]:
        """Yield the tasks as they end; in a copy itself, yield its task once.

        A copy that gets this leaves the generator as it is, and calls `Forked.end` when it is done, or `Forked.next`
        as long as it can do more.

        Args:
            tasks: are taken as others end; those of copies that do more than one are pickled.
            until: of `time.monotonic`; copies that are at work then are ended, and no others are made.
        """
        waiting, parent = _Waiting(tasks), os.getpid()
        copies: list[_Copy[Task]] = []
        # To collect all would take long, and the first answer of a prediction may be waited for.
        gc.collect(1)
        gc.freeze()  # present objects are not touched by the copies' collections, and so stays shared
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
        """Yield the tasks that have ended; the copies that can go on have another one, if there is any."""
        for copy in tuple(copies):
            ended = copy.ended() or self._hanging(copy)
            if ended is None:
                continue
            if ended.died and self._again is not None and waiting.put_back(ended.task):
                self._again(f"{ended.lost} in {ended.task}, which is done again")
                copies.remove(copy)
                continue
            if waiting.any and not copy.is_over and not _over(until):
                copy.go_on(waiting)
            else:
                copies.remove(copy)
                ended = ended._replace(processor_s=ended.processor_s + copy.end())
            yield ended

    def _hanging(self, copy: _Copy[Task]) -> Done[Task, Any] | None:
        """End a copy of which a call takes too long; None if none does."""
        why = self._overdue(copy.heartbeat)
        if why is None:
            return None
        place = where_it_hangs(copy.pid, copy.stacks)
        why = f"{why}; it is in {place}" if place else why
        return Done(copy.task, None, why, processor_s=copy.kill())


class _Waiting(Generic[Task]):
    """Tasks that nobody does yet."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = iter(tasks)
        self._next = list(islice(self._tasks, 1))
        self._died: list[Task] = []

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self._next)

    def take(self) -> Task:
        """Return the next one, of which there must be one."""
        task = self._next.pop(0)
        if not self._next:
            self._next = list(islice(self._tasks, 1))
        return task

    def put_back(self, task: Task) -> bool:
        """Let a task whose copy has died be done again, once; returns whether it is."""
        if any(one is task for one in self._died):
            return False
        self._died.append(task)
        self._next.insert(0, task)
        return True


class _Copy(Generic[Task]):
    """A process that was forked, as this one sees it.

    Attributes:
        task: its present one.
        is_over: whether it has ended, or ends by itself now.
    """

    def __init__(
        self, task: Task, pid: int, pipe: Connection, stacks: int, heartbeat: Heartbeat
    ) -> None:
        self.task, self.pid, self.pipe, self.stacks = task, pid, pipe, stacks
        self.heartbeat = heartbeat
        self.is_over = False
        self._code: int | None = None
        self._told_s = 0.0

    def ended(self) -> Done[Task, Any] | None:
        """Return the result of its task; None if it is at work."""
        try:
            if not self.pipe.poll():
                return None
            told: _Told = pickle.loads(self.pipe.recv_bytes())
        except (EOFError, ConnectionResetError):
            took = self._wait()
            why = f"its worker (process {self.pid}) {ending(self._code or 0)}"
            return Done(self.task, None, why, died=True, processor_s=took)
        took, self._told_s = told.processor_s - self._told_s, told.processor_s
        self.is_over = told.is_last
        return Done(self.task, told.result, processor_s=took)

    def go_on(self, waiting: _Waiting[Task]) -> None:
        """Give it the next task; if it has died meanwhile, that is lost with it."""
        self.task = waiting.take()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.pipe.send_bytes(pickle.dumps((self.task, waiting.any)))

    def end(self) -> float:
        """Let it end; returns the processor time that it took since its last report [s]."""
        if not self.is_over:
            with suppress(BrokenPipeError, ConnectionResetError):
                self.pipe.send_bytes(pickle.dumps(None))
        return self._wait()

    def kill(self) -> float:
        """End it at once; returns the processor time that it took since its last report [s]."""
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
        return max(0.0, used.ru_utime + used.ru_stime - self._told_s)


def _fork(waiting: _Waiting[Task], copies: list[_Copy[Task]]) -> Forked[Task, Any] | None:
    """Fork for the next task; returns the task in the copy, None in this process."""
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
    if os.getppid() != parent:  # it ended before this process could ask to end with it
        os._exit(DIED)
    faulthandler.enable(STDERR)
    gc.set_threshold(*SELDOM)
    sys.setrecursionlimit(sys.getrecursionlimit() + _OWN_DEPTH)
    open_anew()


def _look_s(until: float | None) -> float:
    """How long copies are waited for at most [s]."""
    return LOOK_S if until is None else min(LOOK_S, max(0.0, until - time.monotonic()))


def _over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until
