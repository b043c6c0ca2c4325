"""A batch of runs: counts what comes of them, and ends when enough is known."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hetwin_suite.futures.counting.confidence import Share, share
from hetwin_suite.futures.counting.related import Related, related
from hetwin_suite.futures.counting.until import Until
from hetwin_suite.futures.projecting import Projecting
from hetwin_suite.futures.run_result import RunResult
from hetwin_suite.futures.workers.work import Workers


@dataclass(frozen=True, slots=True)
class Batch:
    """What came of many runs.

    Attributes:
        runs: by index.
        outcomes: name -> how often it came about; not in a run that failed.
        stopped: whether a rule ended it.
        wall_time: from the first run's begin to the last one's end [s].
    """

    runs: Sequence[RunResult]
    outcomes: Mapping[str, Share]
    stopped: bool
    wall_time: float

    @property
    def flaws(self) -> dict[str, int]:
        """Kind of flaw -> in how many runs, the most frequent first."""
        return dict(Counter(kind for run in self.runs for kind in run.flaws).most_common())

    @property
    def related(self) -> list[Related]:
        """The inputs that go with failure: of the run, or of one of its outcomes."""
        return related([run.inputs for run in self.runs], [not run.succeeded for run in self.runs])

    @property
    def runs_per_minute(self) -> float:
        """By wall time."""
        return 60.0 * len(self.runs) / max(self.wall_time, 1e-9)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "samples": len(self.runs),
            "stopped": self.stopped,
            "runs_per_minute": round(self.runs_per_minute, 3),
            "outcomes": {name: found._asdict() for name, found in self.outcomes.items()},
            "flaws": self.flaws,
            "runs": [run.to_json() for run in self.runs],
            "related": [one._asdict() for one in self.related],
        }


def counted(runs: Sequence[RunResult], outcomes: Mapping[str, str]) -> dict[str, Share]:
    """Return how often each outcome came about; it did not in a run that failed, or does not say."""
    return {
        name: share(sum(run.outcomes.get(name) is True for run in runs), len(runs))
        for name in outcomes
    }


def run_batch(
    job: Projecting,
    workers: Workers,
    samples: int,
    until: Until | None = None,
    note: Callable[[str], None] = lambda _: None,
    progress: Callable[[RunResult], None] = lambda _: None,
) -> Batch:
    """Run, until there are enough samples or enough is known.

    A rule looks at the runs in the order of their indices, after each of them, so that where it ends the batch does
    not depend on the number of workers.

    Args:
        job: what to run.
        workers: who runs it.
        samples: at most so many runs.
        until: the rule.
        note: is called with what is worth knowing.
        progress: is called with each run that counts, in order.

    Raises:
        BadInput: if the scenario cannot be used, or says of uncertainty or outcomes what does not fit it.
    """
    job.warm()
    asked = job.loaded().scenario.file.outcomes
    begun = time.monotonic()
    runs: list[RunResult] = []
    stopped = False
    with closing(_in_order(job, workers, samples, note)) as results:
        for result in results:
            runs.append(result)
            progress(result)
            if until is not None and until.holds(counted(runs, asked)):
                stopped = True
                break
    wall_time = time.monotonic() - begun
    if stopped:
        _forget(job.out, len(runs))
    return Batch(tuple(runs), counted(runs, asked), stopped, wall_time)


def _in_order(
    job: Projecting, workers: Workers, samples: int, note: Callable[[str], None]
) -> Generator[RunResult, None, None]:
    """Yield the runs by index, however they end."""
    waiting: dict[int, RunResult] = {}
    following = 0
    with closing(workers.work(job, range(samples), note)) as finished:
        for task, result, lost in finished:
            found = job.lost(task, lost) if result is None else result
            folder = job.folder(task)
            waiting[task] = replace(found, folder=str(folder)) if folder.exists() else found
            while following in waiting:
                yield waiting.pop(following)
                following += 1


def _forget(out: Path, count: int) -> None:
    """Remove runs that were begun before the rule ended the batch."""
    for folder in (out / "runs").glob("*"):
        if folder.name.isdecimal() and int(folder.name) >= count:
            shutil.rmtree(folder, ignore_errors=True)
