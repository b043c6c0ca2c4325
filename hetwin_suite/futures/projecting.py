"""The job of a batch: a run of a scenario with what is uncertain drawn anew."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import is_commanded, is_live
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.words import failure_row_words
from hetwin_suite.futures.drawing.draw import Draw
from hetwin_suite.futures.drawing.find import find_uncertainty
from hetwin_suite.futures.drawing.uncertain import Uncertainty
from hetwin_suite.futures.judging import check_outcomes, judged
from hetwin_suite.futures.keep import Keep
from hetwin_suite.futures.one_run import overdue, run_once
from hetwin_suite.futures.run_result import RunResult


class Loaded(NamedTuple):
    """What all runs of a batch need."""

    scenario: Scenario
    uncertainty: Uncertainty


@dataclass(frozen=True)
class Projecting:
    """Runs a scenario with what is uncertain drawn anew; a task is a run's index.

    Args:
        scenario: file, or name of one of hetwin's.
        options: what the start of each run says, apart from what is drawn.
        seed: of the batch.
        out: folder of the batch; its runs lie in ``runs/INDEX``.
        keep: which of them.
    """

    scenario: str
    options: RunOptions
    seed: int
    out: Path
    keep: Keep = Keep.ALL

    def warm(self) -> None:
        """See `Job.warm`: takes the first step of a run that nothing is drawn for, and judges it.

        Raises:
            BadInput: if the scenario cannot be used, or says of uncertainty or outcomes what does not fit it.
            RunFailed: if a model fails.
        """
        self.loaded()

    def loaded(self) -> Loaded:
        """Return the scenario and what is uncertain about it."""
        found: Loaded | None = _LOADED.get(self._key)
        if found is None:
            found = _LOADED[self._key] = self._load()
        return found

    @property
    def _key(self) -> str:
        return repr((self.scenario, self.options))

    def _load(self) -> Loaded:
        scenario = load_scenario(find_scenario(self.scenario), self.options.variant)
        if is_live(scenario, self.options) or is_commanded(scenario, self.options):
            raise BadInput(
                "a batch cannot follow a robot or commands, which do not begin again",
                file=scenario.path,
                where="source",
                expected="a recording, a trajectory or a program",
            )
        one_step = replace(self.options, duration=1.0 / scenario.clock.rate)
        with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
            run = Path(folder) / "run"
            start, summary = run_once(scenario, one_step, run)
            if summary.error is not None:
                raise HetwinError(failure_row_words(summary.error))
            check_outcomes(scenario, run)
            judged(run, scenario.file.outcomes)
        return Loaded(scenario, find_uncertainty(scenario, start))

    def do(self, task: int, heartbeat: Heartbeat | None) -> RunResult:
        """See `Job.do`: run, and judge what happened."""
        scenario, uncertainty = self.loaded()
        draw = uncertainty.draw(self.seed, task)
        folder = self.folder(task)
        shutil.rmtree(folder, ignore_errors=True)  # of a worker that died
        result = self._run(scenario, draw, folder, heartbeat)
        if self.keep is Keep.NONE or (self.keep is Keep.FAILED and result.succeeded):
            shutil.rmtree(folder, ignore_errors=True)
        return result

    def folder(self, task: int) -> Path:
        """See `Job.folder`."""
        return self.out / "runs" / f"{task:04d}"

    def elsewhere(self, out: Path) -> Projecting:
        """See `Job.elsewhere`."""
        return replace(self, out=out)

    def _run(
        self, scenario: Scenario, draw: Draw, folder: Path, heartbeat: Heartbeat | None
    ) -> RunResult:
        def failed(reason: str, digest: str = "") -> RunResult:
            return RunResult(draw.index, None, digest, {}, (), draw.inputs, reason)

        try:
            _, summary = run_once(draw.of(scenario), draw.options(self.options), folder, heartbeat)
            if summary.error is not None:
                return failed(failure_row_words(summary.error), summary.digest)
            outcomes, flaws = judged(folder, scenario.file.outcomes)
        except HetwinError as error:
            return failed(str(error))
        return RunResult(draw.index, None, summary.digest, outcomes, flaws, draw.inputs)

    def lost(self, index: int, reason: str) -> RunResult:
        """Return the result of a run whose worker was lost."""
        draw = self.loaded().uncertainty.draw(self.seed, index)
        return RunResult(index, None, "", {}, (), draw.inputs, reason)

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        """See `Job.overdue`."""
        return overdue(self.loaded().scenario, heartbeat)


_LOADED: dict[str, Loaded] = {}
"""By job, in each process that works on it."""
