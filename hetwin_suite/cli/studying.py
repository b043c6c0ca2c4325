"""What the commands that make many runs have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hetwin_core.ensemble.conductor.start.options import RunOptions
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


def warn_of_lacking(operations: Sequence[str], prior: Path | None) -> None:
    """Warn of operations about which the file of `--prior` says nothing with their arguments."""
    from hetwin_suite.running.patience import to_stderr

    for operation in operations:
        to_stderr(f"warning: {prior} says nothing about {operation} with these arguments")
