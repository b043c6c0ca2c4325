"""Workers on this machine: processes that are forked when everything is loaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from multiprocessing.connection import wait
from typing import Generic

from hetwin_suite.futures.workers.warm_process import WarmProcess
from hetwin_suite.futures.workers.work import Done, Job, Result, Task

LOOK_S = 0.25
TRIES = 2
"""How often a task is tried whose worker dies."""


class Processes:
    """Warm processes on this machine.

    Args:
        jobs: how many; None: one per core.
        look: is called several times a second while they work.
    """

    def __init__(self, jobs: int | None = None, look: Callable[[], None] = lambda: None) -> None:
        self._jobs = jobs or os.cpu_count() or 1
        self._look = look

    def work(
        self, job: Job[Task, Result], tasks: Iterable[Task], note: Callable[[str], None]
    ) -> Generator[Done[Task, Result], None, None]:
        """See `Workers.work`."""
        job.warm()
        crew = _Crew(job, iter(tasks), note)
        try:
            crew.engage(self._jobs)
            while crew.busy:
                wait(crew.handles, LOOK_S)
                self._look()
                yield from crew.finished()
        finally:
            crew.dismiss()


class _Crew(Generic[Task, Result]):
    """The workers of one job, and what they are doing."""

    def __init__(
        self, job: Job[Task, Result], tasks: Iterator[Task], note: Callable[[str], None]
    ) -> None:
        self._job = job
        self._tasks = tasks
        self._note = note
        self._workers: list[WarmProcess[Task, Result]] = []
        self._again: list[Task] = []
        self._tried: dict[Task, int] = {}
        self._engaged = 0

    @property
    def busy(self) -> list[WarmProcess[Task, Result]]:
        """Those that have a task."""
        return [worker for worker in self._workers if worker.task is not None]

    @property
    def handles(self) -> list[int]:
        """What becomes ready when there is something to see."""
        return [h for w in self.busy for h in (w.pipe.fileno(), w.sentinel)]

    def engage(self, count: int) -> None:
        """Fork so many workers, or fewer if there are fewer tasks, and give each a task."""
        for _ in range(count):
            task = self._next()
            if task is None:
                return
            self._begin(task)

    def _begin(self, task: Task) -> None:
        """Let a new worker begin with a task."""
        self._engaged += 1
        worker = WarmProcess(self._job, self._engaged)
        self._workers.append(worker)
        self._give(worker, task)

    def _next(self) -> Task | None:
        return self._again.pop(0) if self._again else next(self._tasks, None)

    def _give(self, worker: WarmProcess[Task, Result], task: Task) -> None:
        self._tried[task] = self._tried.get(task, 0) + 1
        worker.begin(task)

    def finished(self) -> Iterator[Done[Task, Result]]:
        """Yield what has come, and let the workers go on."""
        for worker in self.busy:
            was_alive = worker.is_alive  # before reading, so that nothing is missed
            arrived = worker.arrived()
            if arrived is not None:
                yield self._done(worker, *arrived)
            elif not was_alive:
                yield from self._died(worker, f"{worker.name} {worker.how_it_ended()}")
            elif (why := worker.overdue()) is not None:
                yield from self._hangs(worker, why)

    def _done(
        self, worker: WarmProcess[Task, Result], result: Result | None, lost: str
    ) -> Done[Task, Result]:
        task, worker.task = worker.task, None
        assert task is not None  # it is busy
        self._tried.pop(task)
        following = self._next()
        if following is not None:
            self._give(worker, following)
        return Done(task, result, lost)

    def _died(self, worker: WarmProcess[Task, Result], how: str) -> Iterator[Done[Task, Result]]:
        """Let another worker do the task, unless that was tried before."""
        task = self._replaced(worker)
        if self._tried[task] < TRIES:
            self._note(f"{how} in run {task}, which is drawn again")
            self._begin(task)
            return
        self._tried.pop(task)
        self._go_on()
        yield Done(task, None, f"{how}, as did the worker before it")

    def _hangs(self, worker: WarmProcess[Task, Result], why: str) -> Iterator[Done[Task, Result]]:
        """End a worker whose task does not end; it would not end in another either."""
        task = self._replaced(worker)
        self._tried.pop(task)
        self._go_on()
        yield Done(task, None, why)

    def _replaced(self, worker: WarmProcess[Task, Result]) -> Task:
        """Take a worker out of the crew; returns its task."""
        task = worker.task
        assert task is not None  # it is busy
        self._workers.remove(worker)
        worker.end()
        return task

    def _go_on(self) -> None:
        following = self._next()
        if following is not None:
            self._begin(following)

    def dismiss(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.end()
