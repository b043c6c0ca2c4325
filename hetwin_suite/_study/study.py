"""Many runs of a scenario that differ in drawn values, or in changes by the caller."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario
from hetwin_core.ensemble.writing import check_new
from hetwin_core.episodes.tables.open import RunTables
from hetwin_suite._study.draw import Draw
from hetwin_suite._study.find import KEY as UNCERTAINTY
from hetwin_suite._study.find import find_uncertainty
from hetwin_suite._study.judging import ObservedScenario, check_outcomes
from hetwin_suite._study.keep import Keep
from hetwin_suite._study.making import LOADED, RunJob, run_once
from hetwin_suite._study.processes import Processes
from hetwin_suite._study.run_result import RunResult, check_repeatable, failed
from hetwin_suite._study.uncertain import Uncertainty
from hetwin_suite._study.work import Workers


class Study:
    """Many runs of one scenario, from its start, from a moment of it, or of its recorded episodes.

    Uncertain quantities are drawn by index, `draw(0)`, `draw(1)` ... A draw depends only on the seed, its index and
    the names of the quantities. It can be changed before its run is computed. The results do not depend on the workers
    that compute the runs.

    Args:
        scenario: file of a scenario, name of one of hetwin's scenarios, a loaded scenario, or a watcher, which observes
            the runs instead of judging their episodes.
        options: start options of all runs, without their draws.
        seed: seed of the draws.
        horizon_s: duration of futures from a moment [s]; None: to the end of the source.
        utility: question whose answer is a run's value; None: 1 if all outcomes were achieved, otherwise 0.
        out: folder for the kept runs, each an episode; None: no run is kept.
        keep: which runs are kept.
        jobs: number of processes; None: one per core.
        workers: workers that compute the runs; None: processes on this machine, for futures forks of this process.
        progress: called with each finished run.
        look: called several times a second while runs are computed.
        note: called with notes for the user, for instance about a dead worker.

    Raises:
        BadInput: if there is no such scenario, or the folder is not empty.
    """

    def __init__(
        self,
        scenario: str | Path | Scenario | ObservedScenario,
        options: RunOptions | None = None,
        *,
        seed: int = 0,
        horizon_s: float | None = None,
        utility: str | None = None,
        out: Path | None = None,
        keep: Keep = Keep.ALL,
        jobs: int | None = None,
        workers: Workers | None = None,
        progress: Callable[[RunResult], None] = lambda _: None,
        look: Callable[[], None] = lambda: None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.options = options or RunOptions()
        self._scenario = scenario if isinstance(scenario, Scenario) else None
        self.watcher = _watcher(scenario, self.options.variant)
        self.seed, self.horizon_s, self.utility = seed, horizon_s, utility
        self.out, self.keep = None if out is None else _new_folder(out), keep
        self.jobs, self.workers = jobs, workers
        self.progress, self.look, self.note = progress, look, note

    @property
    def scenario(self) -> Scenario:
        """The scenario of the runs.

        Raises:
            BadInput: if it cannot be loaded.
        """
        if self._scenario is None:
            self._scenario = self.watcher.scenario()
        return self._scenario

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """The uncertainty at the start of a run.

        Raises:
            BadInput: if uncertainty or outcomes do not fit the scenario, or its runs cannot be repeated.
            HetwinError: if the first step fails.
        """
        expected = "a recording, a trajectory or a program"
        problem = "many runs cannot follow a robot or commands, which cannot be repeated"
        check_repeatable(self.scenario, self.options, problem, expected)
        one_step = replace(self.options, duration=1.0 / self.scenario.clock.rate)
        tables = RunTables(self.scenario.file.log.state_rate)
        start = run_once(self.scenario, one_step, [tables])
        check_outcomes(self.scenario, tables.tables())
        return find_uncertainty(self.scenario, start)

    def draw(self, index: int) -> Draw:
        """Return the draw of a run from the start.

        Raises:
            BadInput: see `uncertainty`.
        """
        return self.uncertainty.draw(self.seed, index)

    def runs(self, draws: Iterable[Draw]) -> Generator[RunResult, None, None]:
        """Compute runs from their start, and yield results as runs end; closing the generator ends running ones.

        Args:
            draws: one draw per run; taken as workers become free, possibly infinite.
        """
        job = RunJob(self.watcher, self.options, self.out, self.keep, self.utility)
        return self.compute(job, draws)

    def compute(self, job: RunJob, draws: Iterable[Draw]) -> Generator[RunResult, None, None]:
        """Let the workers compute runs, and yield results as runs end; a run whose worker was lost has failed.

        Raises:
            BadInput: if an uncertain quantity cannot be changed at a moment of a run.
        """
        LOADED[job.watcher] = self.scenario
        workers = self.workers or Processes(self.jobs)
        with closing(workers.work(job, draws, self.note, self.look)) as finished:
            for done in finished:
                draw, folder = done.task, job.folder(done.task)
                run = failed(draw, done.lost) if done.result is None else done.result
                if folder is not None and folder.exists():
                    run = replace(run, folder=str(folder))
                yield self.over(run)

    def over(self, run: RunResult) -> RunResult:
        """Report a finished run to `progress`, and return it.

        Raises:
            BadInput: if an uncertain quantity cannot be changed at a moment of a run.
        """
        if run.refused:
            error = BadInput(
                f"this cannot be drawn at a moment of a run: {run.error}",
                where=UNCERTAINTY,
                found=", ".join(run.inputs),
                expected="poses, mass, friction and bounce of bodies, and parameters that a model can change in a run",
            )
            raise self.scenario.placed(error)
        if run.index >= 0:
            self.progress(run)
        return run


def _watcher(
    scenario: str | Path | Scenario | ObservedScenario, variant: str | None
) -> ObservedScenario:
    if isinstance(scenario, ObservedScenario):
        return scenario
    if isinstance(scenario, Scenario):
        return ObservedScenario(scenario.path, scenario.variant)
    return ObservedScenario(find_scenario(str(scenario)), variant)


def _new_folder(folder: Path) -> Path:
    """Return the absolute path of an output folder.

    Raises:
        BadInput: if the folder is not empty.
    """
    check_new(folder)
    return folder.resolve()
