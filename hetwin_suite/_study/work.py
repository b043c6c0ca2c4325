"""Work on many tasks: jobs, workers and results."""

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
    """The job of each task; it, the tasks and the results can be pickled.

    A result depends on its task alone, not on the process that computes it or its earlier tasks.
    """

    def warm(self) -> None:
        """Load the common data of all tasks; called before the first task, and may be called again.

        Raises:
            BadInput: if something that is needed cannot be used.
        """

    def do(self, task: Task, heartbeat: Heartbeat | None) -> Result:
        """Do a task.

        Args:
            task: which one.
            heartbeat: where calls that are under way are written, for `overdue`; None if no process looks.
        """
        raise NotImplementedError

    def folder(self, task: Task) -> Path | None:
        """Return the folder in which a task may leave files; None: nowhere."""
        return None

    def elsewhere(self, out: Path) -> Self:
        """Return the same job with its tasks' folders below another one."""
        return self

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        """Return why a task takes too long, in words; None if it does not. Called by the process that looks."""
        return None


@dataclass(frozen=True)
class Each(Job[Task, Result]):
    """Calls a function, which can be pickled, with each task."""

    function: Callable[[Task], Result]

    def do(self, task: Task, heartbeat: Heartbeat | None) -> Result:
        """See `Job.do`."""
        return self.function(task)


class Done(NamedTuple, Generic[Task, Result]):
    """A task that was worked on.

    Attributes:
        task: which one.
        result: of it; None if it was lost.
        lost: why there is no result; empty if there is one.
        error: the exception, if that is why.
        died: whether the process died, if that is why.
        processor_s: processor time that it took; of processes that are copies, with the begin or the end of the copy if
            it was its first or last task [s].
    """

    task: Task
    result: Result | None
    lost: str = ""
    error: Exception | None = None
    died: bool = False
    processor_s: float = 0.0

    def check(self) -> None:
        """See that something has come of it.

        Raises:
            RunFailed: if the process died or was ended.
            Exception: the task's.
        """
        if self.error is not None:
            raise self.error
        if self.lost:
            hint = "; is there enough memory?" if self.died else ""
            raise RunFailed("workers", "work", 0, f"{self.lost}{hint}")

    @property
    def value(self) -> Result:
        """The result, see `check`."""
        self.check()
        found: Result = self.result  # type: ignore[assignment]
        return found


class Workers(Protocol):
    """Processes that work, on this machine or others."""

    def work(
        self,
        job: Job[Task, Result],
        tasks: Iterable[Task],
        note: Callable[[str], None] = lambda _: None,
        look: Callable[[], None] = lambda: None,
    ) -> Generator[Done[Task, Result], None, None]:
        """Do a job's tasks, and yield their results as they come.

        A worker that dies is named, and its task done once more by another.

        Args:
            job: of the tasks.
            tasks: are taken as workers become free; they may be endless, for who closes the generator ends the work.
            note: is called with notes for the user, such as which worker died.
            look: is called several times a second while they work.

        Raises:
            BadInput: if the job cannot be done at all.
        """
