"""Workers on this machine: processes that are forked when everything is loaded, and do one task after the other."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Generator, Iterable
from typing import Any, NamedTuple, NoReturn

from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_suite._study.forks import Forked, Forks
from hetwin_suite._study.work import Done, Job, Result, Task


class Processes:
    """Warm processes on this machine.

    Args:
        jobs: how many; None: one per core.
    """

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = jobs

    def work(
        self,
        job: Job[Task, Result],
        tasks: Iterable[Task],
        note: Callable[[str], None] = lambda _: None,
        look: Callable[[], None] = lambda: None,
    ) -> Generator[Done[Task, Result], None, None]:
        """See `Workers.work`."""
        job.warm()
        for one in Forks(self._jobs, job.overdue, look, note).work(tasks):
            if isinstance(one, Forked):
                serve(job, one)
            yield one if one.result is None else one._replace(**one.result.told())


class _Answer(NamedTuple):
    """A worker's report: a result, or why there is none; see `Done`.

    Attributes:
        bad_input: problem, file, where, found and expected of bad input, as plain values: the found value may
            be anything.
    """

    result: Any
    lost: str = ""
    error: Exception | None = None
    bad_input: tuple[Any, ...] = ()

    def told(self) -> dict[str, Any]:
        """Return the fields of `Done`, with bad input as an error again."""
        error = self.error
        if self.bad_input:
            problem, file, where, found, expected = self.bad_input
            error = BadInput(problem or "", file=file, where=where, found=found, expected=expected)
        return {"result": self.result, "lost": self.lost, "error": error}


def serve(job: Job[Any, Any], forked: Forked[Any, _Answer]) -> NoReturn:
    """Do a job's tasks in this process, which is a copy, until there are no more."""
    while True:
        forked = forked.next(_answer(job, forked))


def _answer(job: Job[Any, Any], forked: Forked[Any, _Answer]) -> _Answer:
    try:
        return _Answer(job.do(forked.task, forked.heartbeat))
    except BadInput as error:
        fields = (error.problem, error.file, error.where, error.found, error.expected)
        return _Answer(None, str(error), bad_input=tuple(map(_plain, fields)))
    except HetwinError as error:
        return _Answer(None, str(error), _sendable(error))
    except Exception as error:
        traceback.print_exc()
        return _Answer(None, f"{type(error).__name__}: {error}", _sendable(error))


def _plain(value: object) -> object:
    """Return a value that every process can read: other values as text."""
    is_plain = value is None or type(value) in (str, int, float, bool)
    return value if is_plain else str(value)


def _sendable(error: Exception) -> Exception:
    """Return an error that another process can raise: the same if it can be pickled, else one in its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
