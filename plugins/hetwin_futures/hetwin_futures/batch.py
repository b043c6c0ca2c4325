"""A batch of runs: counts their outcomes, and ends when a stopping rule is met."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_futures.intervals import Relation, related
from hetwin_futures.until import Share, Until, share
from hetwin_suite.study import RunResult, Study


@dataclass(frozen=True, slots=True)
class Batch:
    """The results of many runs.

    Attributes:
        runs: results of the runs, by index.
        outcomes: name -> how often the outcome came about; failed runs count as not.
        stopped: whether a stopping rule ended the batch.
        wall_time: from the start of the first run to the end of the last one [s].
    """

    runs: Sequence[RunResult]
    outcomes: Mapping[str, Share]
    stopped: bool
    wall_time: float

    @property
    def flaws(self) -> dict[str, int]:
        """Kind of flaw -> number of runs with it, the most frequent first."""
        return dict(Counter(kind for run in self.runs for kind in run.flaws).most_common())

    @property
    def related(self) -> list[Relation]:
        """The inputs that are associated with a failed run or a missed outcome."""
        return related([run.inputs for run in self.runs], [not run.succeeded for run in self.runs])

    @property
    def runs_per_minute(self) -> float:
        """Runs per minute of wall time."""
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
    """Return how often each outcome came about; failed runs and unknown outcomes count as not."""
    return {
        name: share(sum(run.outcomes.get(name) is True for run in runs), len(runs))
        for name in outcomes
    }


def project(study: Study, samples: int, until: Until | None = None) -> Batch:
    """Run from the start with the uncertainty drawn anew, until there are enough runs or the stopping rule is met.

    The rule is evaluated after each run in the order of their indices, so that the end of the batch does not depend on
    the number of workers.

    Args:
        study: makes the runs.
        samples: maximum number of runs.
        until: the stopping rule.

    Raises:
        BadInput: if the scenario cannot be used, or its uncertainty or outcomes do not fit its scene.
    """
    outcomes, uncertainty, start = study.scenario.file.outcomes, study.uncertainty, time.monotonic()
    draws = (uncertainty.draw(study.seed, index) for index in range(samples))
    runs: list[RunResult] = []
    stopped = False
    with closing(_in_order(study.runs(draws))) as results:
        for result in results:
            runs.append(result)
            if until is not None and until.holds(counted(runs, outcomes)):
                stopped = True
                break
    wall_time = time.monotonic() - start
    if stopped and study.out is not None:
        _forget(study.out, len(runs))
    return Batch(tuple(runs), counted(runs, outcomes), stopped, wall_time)


def _in_order(runs: Generator[RunResult, None, None]) -> Generator[RunResult, None, None]:
    """Yield runs in the order of their indices."""
    waiting: dict[int, RunResult] = {}
    following = 0
    with closing(runs):
        for run in runs:
            waiting[run.index] = run
            while following in waiting:
                yield waiting.pop(following)
                following += 1


def _forget(out: Path, count: int) -> None:
    """Remove runs that had started when the rule ended the batch."""
    for folder in (out / "runs").glob("*"):
        if folder.name.isdecimal() and int(folder.name) >= count:
            shutil.rmtree(folder, ignore_errors=True)
