"""Many runs of a scenario, which differ in uncertain quantities, or in changes of one's own."""

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
from hetwin_suite._study.judging import Watcher, check_outcomes
from hetwin_suite._study.keep import Keep
from hetwin_suite._study.making import LOADED, Making, run_once
from hetwin_suite._study.processes import Processes
from hetwin_suite._study.run_result import RunResult, check_begins_again, failed
from hetwin_suite._study.uncertain import Uncertainty
from hetwin_suite._study.work import Workers


class Study:
    """Many runs of one scenario, from its start, from a moment of it, or of its recorded episodes.

    Uncertain quantities are drawn by number, `draw(0)`, `draw(1)` ..., each draw from the seed, its number and the
    names of these quantities alone. A draw can be changed before its run is made. Runs are made by processes of this
    machine, or by other workers; who makes them does not change their results.

    Args:
        scenario: file, name of one of hetwin's, one that is loaded already, or a watcher in place of the judge
            of the runs' episodes.
        options: of the start of each run, apart from its draw.
        seed: of the draws.
        horizon_s: how long runs go on from a moment [s]; None: to the end of the source.
        utility: a question to each run's episode whose answer is its value; None: whether all outcomes came about.
        out: folder in which each run is kept as an episode; None: nowhere.
        keep: which of them.
        jobs: processes; None: one per core.
        workers: who makes the runs; None: processes of this machine, and from a moment copies of this one.
        progress: is called with each run that is over.
        look: is called several times a second while runs are made.
        note: is called with notes for the user, such as which worker died.

    Raises:
        BadInput: if there is no such scenario, or there is something in the folder.
    """

    def __init__(
        self,
        scenario: str | Path | Scenario | Watcher,
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
        self.out, self.keep = None if out is None else _new(out), keep
        self.jobs, self.workers = jobs, workers
        self.progress, self.look, self.note = progress, look, note

    @property
    def scenario(self) -> Scenario:
        """The scenario or watcher of the runs.

        Raises:
            BadInput: if it cannot be used.
        """
        if self._scenario is None:
            self._scenario = self.watcher.scenario()
        return self._scenario

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """The uncertainty at the start of a run.

        Raises:
            BadInput: if uncertainty or outcomes do not fit the scenario, or a run cannot begin again.
            HetwinError: if its first step fails.
        """
        expected = "a recording, a trajectory or a program"
        problem = "many runs cannot follow a robot or commands, which do not begin again"
        check_begins_again(self.scenario, self.options, problem, expected)
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
        """Make runs from their start, and yield their results as they end; who closes it ends the others.

        Args:
            draws: one for each; they are taken as workers become free, and may be endless.
        """
        job = Making(self.watcher, self.options, self.out, self.keep, self.utility)
        return self.made(job, draws)

    def made(self, job: Making, draws: Iterable[Draw]) -> Generator[RunResult, None, None]:
        """Let the workers make runs; one whose worker was lost has failed.

        Raises:
            BadInput: if an uncertain quantity cannot be drawn at a moment of a run.
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
        """Report a run that is over, and return it.

        Raises:
            BadInput: if an uncertain quantity cannot be drawn at a moment of a run.
        """
        if run.refused:
            error = BadInput(
                f"this cannot be drawn at a moment of a run: {run.error}",
                where=UNCERTAINTY,
                found=", ".join(run.inputs),
                expected="poses, mass, friction and bounce of bodies, and what a model can change in a run",
            )
            raise self.scenario.placed(error)
        if run.index >= 0:
            self.progress(run)
        return run


def _watcher(scenario: str | Path | Scenario | Watcher, variant: str | None) -> Watcher:
    if isinstance(scenario, Watcher):
        return scenario
    if isinstance(scenario, Scenario):
        return Watcher(scenario.path, scenario.variant)
    return Watcher(find_scenario(str(scenario)), variant)


def _new(folder: Path) -> Path:
    """Return the absolute path of a folder in which there is nothing yet.

    Raises:
        BadInput: if there is something.
    """
    check_new(folder)
    return folder.resolve()
