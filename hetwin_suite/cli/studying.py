"""What the commands that make many runs have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hetwin_core.ensemble.conductor.start.options import RunOptions
    from hetwin_suite._study.runs.run_result import RunResult
    from hetwin_suite._study.runs.study import Study


@dataclass(frozen=True, slots=True)
class Asked:
    """What many runs are made of.

    Attributes:
        scenario: file or name.
        options: of the start of each run.
        count: of runs; None: as many as usual.
        seed: of the draws; each run's follows from it and the run's index.
        jobs: processes; None: one per core.
        duration: simulated time after which a run ends [s]; None: when the source does.
        out: folder in which they are kept; None: they are not.
        cluster: address of a scheduler whose workers make them; None: this machine does.
    """

    scenario: str
    options: RunOptions
    count: int | None
    seed: int
    jobs: int | None
    duration: float | None
    out: Path | None
    cluster: str | None

    def study(self, **more: Any) -> Study:
        """Return the study of these runs."""
        from hetwin_suite._study.runs.study import Study
        from hetwin_suite._study.workers.cluster import Cluster

        workers = None if self.cluster is None else Cluster(self.cluster)
        return Study(
            *(self.scenario, self.options),
            seed=self.seed,
            out=self.out,
            jobs=self.jobs,
            workers=workers,
            **more,
        )

    @property
    def title(self) -> str:
        """Name of the scenario, with the variant."""
        variant = self.options.variant
        return Path(self.scenario).stem + (f", {variant}" if variant else "")


def followed(
    study: Study, words: Callable[[Sequence[RunResult]], str], *, warns: bool = False
) -> list[RunResult]:
    """Say on stderr how far a study is whenever nothing was said for a while; returns the runs that are over.

    Args:
        study: of which nothing has been run yet.
        words: how far it is, from the runs that are over.
        warns: of each run that fails.
    """
    from hetwin_suite.running.patience import Patience, to_stderr

    patience = Patience(to_stderr)
    done: list[RunResult] = []

    def over(run: RunResult) -> None:
        done.append(run)
        if warns and run.error is not None:
            to_stderr(f"warning: future {run.index}: {run.error}")

    study.progress = over
    study.look = lambda: patience.look(words(done))
    study.note = lambda text: to_stderr(f"warning: {text}")
    return done


def warn_of_lacking(operations: Sequence[str], prior: Path | None) -> None:
    """Warn of operations about which the file of `--prior` says nothing with their arguments."""
    from hetwin_suite.running.patience import to_stderr

    for operation in operations:
        to_stderr(f"warning: {prior} says nothing about {operation} with these arguments")
