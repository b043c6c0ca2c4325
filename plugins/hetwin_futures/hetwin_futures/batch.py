"""A batch of runs: counts what comes of them, and ends when enough is known."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_futures.intervals import Related, related
from hetwin_futures.until import Share, Until, share
from hetwin_suite.study import RunResult, Study


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
        """Return the JSON representation."""
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


def project(study: Study, samples: int, until: Until | None = None) -> Batch:
    """Run from the start, each time with what is uncertain drawn anew, until there are enough runs or enough is known.

    A rule looks at the runs in the order of their indices, after each of them, so that where it ends the batch does
    not depend on the number of workers.

    Args:
        study: what is run.
        samples: at most so many runs.
        until: the rule.

    Raises:
        BadInput: if the scenario cannot be used, or says of uncertainty or outcomes what does not fit it.
    """
    asked, uncertainty, begun = study.scenario.file.outcomes, study.uncertainty, time.monotonic()
    draws = (uncertainty.draw(study.seed, index) for index in range(samples))
    runs: list[RunResult] = []
    stopped = False
    with closing(_in_order(study.runs(draws))) as results:
        for result in results:
            runs.append(result)
            if until is not None and until.holds(counted(runs, asked)):
                stopped = True
                break
    wall_time = time.monotonic() - begun
    if stopped and study.out is not None:
        _forget(study.out, len(runs))
    return Batch(tuple(runs), counted(runs, asked), stopped, wall_time)


def _in_order(runs: Generator[RunResult, None, None]) -> Generator[RunResult, None, None]:
    """Yield runs by index."""
    waiting: dict[int, RunResult] = {}
    following = 0
    with closing(runs):
        for run in runs:
            waiting[run.index] = run
            while following in waiting:
                yield waiting.pop(following)
                following += 1


def _forget(out: Path, count: int) -> None:
    """Remove runs that were begun before the rule ended the batch."""
    for folder in (out / "runs").glob("*"):
        if folder.name.isdecimal() and int(folder.name) >= count:
            shutil.rmtree(folder, ignore_errors=True)
