"""Worker processes on this machine, forked after everything is loaded; each does one task after the other."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Generator, Iterable
from typing import Any, NamedTuple, NoReturn

from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_suite._study.forks import Forked, Forks
from hetwin_suite._study.work import FinishedTask, Job, Result, Task


class Processes:
    """Worker processes on this machine, which start with all modules and the scenario loaded.

    Args:
        jobs: number of processes; None: one per core.
    """

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = jobs

    def work(
        self,
        job: Job[Task, Result],
        tasks: Iterable[Task],
        note: Callable[[str], None] = lambda _: None,
        look: Callable[[], None] = lambda: None,
    ) -> Generator[FinishedTask[Task, Result], None, None]:
        """See `Workers.work`."""
        job.warm()
        for done in Forks(self._jobs, job.overdue, look, note).work(tasks):
            if isinstance(done, Forked):
                serve(job, done)
            yield done if done.result is None else done._replace(**done.result.fields_of_done())


class _Report(NamedTuple):
    """A worker's picklable report: a result, or the reason why there is none; see `FinishedTask`.

    Attributes:
        bad_input: problem, file, where, found and expected of a `BadInput`, as plain values, as the found value may
            not be picklable; empty without such an error.
    """

    result: Any
    lost: str = ""
    error: Exception | None = None
    bad_input: tuple[Any, ...] = ()

    def fields_of_done(self) -> dict[str, Any]:
        """Return the fields of `FinishedTask`, with a `BadInput` rebuilt from its plain values."""
        error = self.error
        if self.bad_input:
            problem, file, where, found, expected = self.bad_input
            error = BadInput(problem or "", file=file, where=where, found=found, expected=expected)
        return {"result": self.result, "lost": self.lost, "error": error}


def serve(job: Job[Any, Any], forked: Forked[Any, _Report]) -> NoReturn:
    """Do a job's tasks in this fork until none remain."""
    while True:
        forked = forked.next(_report(job, forked))


def _report(job: Job[Any, Any], forked: Forked[Any, _Report]) -> _Report:
    try:
        return _Report(job.do(forked.task, forked.heartbeat))
    except BadInput as error:
        fields = (error.problem, error.file, error.where, error.found, error.expected)
        return _Report(None, str(error), bad_input=tuple(map(_plain, fields)))
    except HetwinError as error:
        return _Report(None, str(error), _sendable(error))
    except Exception as error:
        traceback.print_exc()
        return _Report(None, f"{type(error).__name__}: {error}", _sendable(error))


def _plain(value: object) -> object:
    """Return str, int, float, bool and None unchanged, other values as text."""
    is_plain = value is None or type(value) in (str, int, float, bool)
    return value if is_plain else str(value)


def _sendable(error: Exception) -> Exception:
    """Return an error that can be pickled: the same error, otherwise a RuntimeError with its message."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
