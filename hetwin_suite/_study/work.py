"""Parallel work on many tasks: jobs, workers and results."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat

Task = TypeVar("Task")
Result = TypeVar("Result")


class Job(Generic[Task, Result]):
    """A computation that is applied to each task; job, tasks and results must be picklable.

    A result must depend on its task alone, not on the process that computes it or on that process' earlier tasks.
    """

    def warm(self) -> None:
        """Load the data shared by all tasks; called before the first task, possibly several times.

        Raises:
            BadInput: if the data cannot be loaded.
        """

    def do(self, task: Task, heartbeat: Heartbeat | None) -> Result:
        """Do a task.

        Args:
            task: the task.
            heartbeat: where to record calls in progress, for `overdue`; None if no process supervises this one.
        """
        raise NotImplementedError

    def folder(self, task: Task) -> Path | None:
        """Return the folder into which a task may write files; None: it writes none."""
        return None

    def elsewhere(self, out: Path) -> Self:
        """Return a copy of the job whose tasks write below another folder."""
        return self

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        """Return why a task takes too long, in words; None if it does not. Called by the supervising process."""
        return None


@dataclass(frozen=True)
class FunctionJob(Job[Task, Result]):
    """Calls a picklable function with each task."""

    function: Callable[[Task], Result]

    def do(self, task: Task, heartbeat: Heartbeat | None) -> Result:
        """See `Job.do`."""
        return self.function(task)


class FinishedTask(NamedTuple, Generic[Task, Result]):
    """A finished task, with its result or the reason why there is none.

    Attributes:
        task: the task.
        result: result of the task; None if it was lost.
        lost: why there is no result; empty if there is one.
        error: the exception, if one caused the loss.
        died: whether the loss was caused by the death of the process.
        processor_s: processor time of the task [s]; the first and the last task of a forked process include its start
            and its exit.
    """

    task: Task
    result: Result | None
    lost: str = ""
    error: Exception | None = None
    died: bool = False
    processor_s: float = 0.0

    def check(self) -> None:
        """Check that there is a result.

        Raises:
            RunFailed: if the process died or was killed.
            Exception: the exception of the task.
        """
        if self.error is not None:
            raise self.error
        if self.lost:
            hint = "; is there enough memory?" if self.died else ""
            raise RunFailed("workers", "work", 0, f"{self.lost}{hint}")

    @property
    def value(self) -> Result:
        """The result; raises as `check` does if there is none."""
        self.check()
        found: Result = self.result  # type: ignore[assignment]
        return found


class Workers(Protocol):
    """Worker processes, on this machine or on others."""

    def work(
        self,
        job: Job[Task, Result],
        tasks: Iterable[Task],
        note: Callable[[str], None] = lambda _: None,
        look: Callable[[], None] = lambda: None,
    ) -> Generator[FinishedTask[Task, Result], None, None]:
        """Do a job's tasks, and yield each as it ends; closing the generator ends the work.

        The task of a worker that dies is given to another worker once.

        Args:
            job: the job.
            tasks: taken as workers become free; possibly infinite.
            note: called with notes for the user, for instance about a dead worker.
            look: called several times a second.

        Raises:
            BadInput: if the job's shared data cannot be loaded.
        """
