"""Work on many tasks: what is to be done, and what does it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

from hetwin_core.ensemble.supervision.heartbeat import Heartbeat

Task = TypeVar("Task")
Result = TypeVar("Result")
Task_contra = TypeVar("Task_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


class Job(Protocol[Task_contra, Result_co]):
    """What is done with each task; it, the tasks and the results can be pickled.

    A result depends on its task alone, not on which process computes it or what that did before.
    """

    def warm(self) -> None:
        """Load what all tasks need; called before the first task, and may be called again.

        Raises:
            BadInput: if something that is needed cannot be used.
        """

    def do(self, task: Task_contra, heartbeat: Heartbeat | None) -> Result_co:
        """Do a task.

        Args:
            task: which one.
            heartbeat: where calls that are under way are written, for `overdue`; None if no process looks.
        """

    def folder(self, task: Task_contra) -> Path:
        """Return the folder in which a task may leave files."""

    def elsewhere(self, out: Path) -> Job[Task_contra, Result_co]:
        """Return the same job with its tasks' folders below another one."""

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        """Return why a task takes too long, in words; None if it does not. Called by the process that looks."""


class Done(NamedTuple, Generic[Task, Result]):
    """A task that was worked on.

    Attributes:
        task: which one.
        result: what came of it; None if it was lost.
        lost: why there is no result; empty if there is one.
    """

    task: Task
    result: Result | None
    lost: str = ""


class Workers(Protocol):
    """Processes that work, on this machine or others."""

    def work(
        self, job: Job[Task, Result], tasks: Iterable[Task], note: Callable[[str], None]
    ) -> Generator[Done[Task, Result], None, None]:
        """Do a job's tasks, and yield what comes of them as it comes.

        A worker that dies is named, and its task done once more by another.

        Args:
            job: what is to be done.
            tasks: are taken as workers become free; they may be endless, for who closes the generator ends the work.
            note: is called with what is worth knowing, such as which worker died.

        Raises:
            BadInput: if the job cannot be done at all.
        """
