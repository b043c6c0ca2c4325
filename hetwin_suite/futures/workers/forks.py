"""Processes that go on from here: each is a copy of this one with a task of its own."""

from __future__ import annotations

import faulthandler
import gc
import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, Generic, NamedTuple, NoReturn

from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.supervision.parting import STDERR, detach, parting
from hetwin_core.ensemble.supervision.stacks import where_it_hangs
from hetwin_core.ensemble.supervision.watched_process import ending
from hetwin_suite.futures.workers.descriptors import open_anew
from hetwin_suite.futures.workers.warm_process import SELDOM
from hetwin_suite.futures.workers.work import Result, Task

LOOK_S = 0.1
FORKED, DIED = 0, 1


@dataclass(frozen=True)
class Forked(Generic[Task, Result]):
    """This process is a copy, and has this to do.

    Attributes:
        task: what.
        heartbeat: where the calls that are under way are to be written.
    """

    task: Task
    heartbeat: Heartbeat
    _pipe: Connection

    def end(self, result: Result) -> NoReturn:
        """Send the result, and end the process at once, without anything that the parent would do at its end."""
        code = DIED
        try:
            self._pipe.send_bytes(pickle.dumps(result))
            code = FORKED
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(code)


class Ended(NamedTuple, Generic[Task, Result]):
    """A copy that is over.

    Attributes:
        task: what it had to do.
        result: what came of it; None if it was lost.
        processor_s: processor time that it took [s].
        lost: why there is no result; empty if there is one.
    """

    task: Task
    result: Result | None
    processor_s: float
    lost: str = ""


class Forks:
    """Forks this process again and again, and collects what the copies send.

    The copies end with this process. Each has opened its files anew, so that it reads on by itself. This process must
    have no other threads that matter, for they do not go on.

    Args:
        jobs: how many copies at a time; None: one per core.
        overdue: returns which call of a copy takes too long, in words; None if none does.
        look: is called several times a second.
    """

    def __init__(
        self,
        jobs: int | None,
        overdue: Callable[[Heartbeat], str | None],
        look: Callable[[], None] = lambda: None,
    ) -> None:
        self._jobs = jobs or os.cpu_count() or 1
        self._overdue = overdue
        self._look = look

    def work(
        self, tasks: Iterable[Task], until: float | None = None
    ) -> Generator[Ended[Task, Any] | Forked[Task, Any], None, None]:
        """Yield the copies as they end; in a copy itself, yield once what it has to do.

        A copy that gets this leaves the generator as it is, and calls `Forked.end` when it is done.

        Args:
            tasks: are taken as copies end.
            until: of `time.monotonic`; copies that are at work then are ended, and no others are made.
        """
        waiting, parent = iter(tasks), os.getpid()
        copies: list[_Copy[Task]] = []
        gc.collect()
        gc.freeze()  # what is there is not touched by the copies' collections, and so stays shared
        try:
            for task in _first(waiting, self._jobs):
                forked = _fork(task, copies)
                if forked is not None:
                    yield forked
            while copies and not _over(until):
                wait([copy.pipe for copy in copies], LOOK_S)
                self._look()
                for ended in self._ended(copies):
                    yield ended
                    for task in _first(waiting, 0 if _over(until) else 1):
                        forked = _fork(task, copies)
                        if forked is not None:
                            yield forked
        finally:
            if os.getpid() == parent:
                for copy in copies:
                    copy.kill()
                gc.unfreeze()

    def _ended(self, copies: list[_Copy[Task]]) -> Iterator[Ended[Task, Any]]:
        for copy in tuple(copies):
            ended = copy.ended()
            if ended is None and (why := self._overdue(copy.heartbeat)) is not None:
                place = where_it_hangs(copy.pid, copy.stacks)
                why = f"{why}; it is in {place}" if place else why
                ended = Ended(copy.task, None, copy.kill(), why)
            if ended is not None:
                copies.remove(copy)
                yield ended


class _Copy(Generic[Task]):
    """A process that was forked, as this one sees it."""

    def __init__(
        self, task: Task, pid: int, pipe: Connection, stacks: int, heartbeat: Heartbeat
    ) -> None:
        self.task, self.pid, self.pipe, self.stacks = task, pid, pipe, stacks
        self.heartbeat = heartbeat

    def ended(self) -> Ended[Task, Any] | None:
        """Return what came of it; None if it is at work."""
        try:
            if not self.pipe.poll():
                return None
            result = pickle.loads(self.pipe.recv_bytes())
        except (EOFError, ConnectionResetError):
            code, took = self._wait()
            why = f"its process ({self.pid}) {ending(code)}"
            return Ended(self.task, None, took, why)
        return Ended(self.task, result, self._wait()[1])

    def kill(self) -> float:
        """End it at once; returns the processor time that it took [s]."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return self._wait()[1]

    def _wait(self) -> tuple[int, float]:
        _, status, used = os.wait4(self.pid, 0)
        self.pipe.close()
        os.close(self.stacks)
        return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def _fork(task: Task, copies: list[_Copy[Task]]) -> Forked[Task, Any] | None:
    """Fork; returns what is to be done in the copy, None in this process."""
    heartbeat, parent = Heartbeat(), os.getpid()
    ours, theirs = Pipe(duplex=False)
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
    return Forked(task, heartbeat, theirs)


def _become_a_copy(parent: int, stacks: int) -> None:
    detach(stacks, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before this process could ask to end with it
        os._exit(DIED)
    faulthandler.enable(STDERR)
    gc.set_threshold(*SELDOM)
    open_anew()


def _first(tasks: Iterator[Task], count: int) -> Iterator[Task]:
    for _ in range(count):
        try:
            yield next(tasks)
        except StopIteration:
            return


def _over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until
