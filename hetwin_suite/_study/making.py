"""Computes the runs of a study, in this process or a worker: whole runs, or futures of a saved run."""

from __future__ import annotations

import pickle
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart, RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import HetwinError, Refused
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.transport.local import local_ports
from hetwin_core.ensemble.words import failure_row_words, failure_words
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.tables.open import RunTables
from hetwin_suite._study.draw import Draw
from hetwin_suite._study.judging import ObservedScenario, RunObserver, result_of
from hetwin_suite._study.keep import Keep
from hetwin_suite._study.run_result import RunResult, failed
from hetwin_suite._study.work import Job

GRACE_S = 0.1
"""Time after a call's deadline in which the run itself still reports the late call [s]."""


class SavedRun(NamedTuple):
    """A run saved at a moment, to be restored by other processes.

    Attributes:
        checkpoint: checkpoint of the run.
        tables: pickled tables of the run until the moment.
    """

    checkpoint: Checkpoint
    tables: bytes


@dataclass(frozen=True)
class RunJob(Job[Draw, RunResult]):
    """Computes the runs of a study; each task is the draw of one run.

    Attributes:
        watcher: scenario and observer of the runs.
        options: start options of all runs, without their draws.
        out: folder of the study; None: no run is kept.
        keep: which runs are kept.
        utility: question whose answer is a run's value; None: 1 if all outcomes were achieved, otherwise 0.
        saved: saved run that the runs continue; None: each run begins at its start.
        end_ns: simulated time at which the runs end; None: the end of the source.
        under: subfolder of `out` for the kept runs, which are named by their index.
    """

    watcher: ObservedScenario
    options: RunOptions
    out: Path | None = None
    keep: Keep = Keep.ALL
    utility: str | None = None
    saved: SavedRun | None = None
    end_ns: int | None = None
    under: str = "runs"

    def scenario(self) -> Scenario:
        """Return the scenario; it is loaded once per process."""
        if self.watcher not in LOADED:
            LOADED[self.watcher] = self.watcher.scenario()
        return LOADED[self.watcher]

    def warm(self) -> None:
        """See `Job.warm`."""
        self.scenario()

    def do(self, task: Draw, heartbeat: Heartbeat | None) -> RunResult:
        """See `Job.do`: compute the run, and judge its episode."""
        folder = self.folder(task)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)  # remains of a worker that died
        result = run_guarded(task, lambda: self._run(task, heartbeat, folder))
        if self.saved is None:
            result = replace(result, refused=False)
        if folder is not None and self.keep is Keep.FAILED and result.succeeded:
            shutil.rmtree(folder, ignore_errors=True)
        return result

    def _run(self, draw: Draw, heartbeat: Heartbeat | None, folder: Path | None) -> RunResult:
        if self.saved is None:
            return self._from_start(draw, heartbeat, folder)
        return self._restored(self.saved, draw, heartbeat, folder)

    def _from_start(
        self, draw: Draw, heartbeat: Heartbeat | None, folder: Path | None
    ) -> RunResult:
        scenario = draw.of(self.scenario())
        ports = local_ports(scenario, heartbeat, one_process=True)
        observer, tables = self.watcher.begin(scenario, ports), RunTables(_rate(scenario))
        listeners: list[RunListener] = [tables] if observer is None else []
        if folder is not None:
            listeners.insert(0, RunLog(folder, state_rate=_rate(scenario)))
        conductor = session(
            scenario,
            options=draw.options(self.options),
            listeners=listeners,
            at_barrier=None if observer is None else observer.observe,
            ports=ports,
        )
        conductor.prepare()
        started_s = time.process_time()
        summary = conductor.run()
        spent_s = time.process_time() - started_s
        if observer is not None:
            return _observed_result(draw, summary, observer, spent_s)
        outcomes = scenario.file.outcomes
        found = result_of(draw, summary, tables, outcomes, utility=self.utility, with_flaws=True)
        return replace(found, processor_s=spent_s)

    def _restored(
        self, saved: SavedRun, draw: Draw, heartbeat: Heartbeat | None, folder: Path | None
    ) -> RunResult:
        scenario, started_s, refusals = self.scenario(), time.process_time(), list[Refused]()
        tables: RunTables = pickle.loads(saved.tables)
        options = saved.checkpoint.options
        conductor = session(scenario, options=options, listeners=[tables], heartbeat=heartbeat)
        conductor.continue_from(saved.checkpoint)
        at_ns = saved.checkpoint.time_ns

        def at_barrier(now: BetweenSteps) -> None:
            if now.time_ns != at_ns:
                now.rest()
                return
            try:
                apply_draw(now, draw)
            except Refused as refusal:
                refusals.append(refusal)
                conductor.stop()
            if folder is not None:
                now.add_listener(RunLog(folder, state_rate=_rate(scenario)))
            if self.end_ns is not None:
                now.end_at(self.end_ns)

        conductor.at_barriers(at_barrier)
        summary = conductor.run()
        if refusals:
            raise refusals[0]
        found = result_of(draw, summary, tables, scenario.file.outcomes, at_ns, self.utility)
        return replace(found, processor_s=time.process_time() - started_s)

    def folder(self, task: Draw) -> Path | None:
        """See `Job.folder`; internal runs, whose index is negative, have no folder."""
        if self.out is None or self.keep is Keep.NONE or task.index < 0:
            return None
        return self.out / self.under / f"{task.index:04d}"

    def elsewhere(self, out: Path) -> RunJob:
        """See `Job.elsewhere`."""
        return self if self.out is None else replace(self, out=out)

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        """See `Job.overdue`."""
        return overdue(self.scenario(), heartbeat)


LOADED: dict[ObservedScenario, Scenario] = {}
"""Cache of loaded scenarios in each process."""


def _rate(scenario: Scenario) -> float:
    return scenario.file.log.state_rate


def _observed_result(
    draw: Draw, summary: RunSummary, observer: RunObserver, spent_s: float
) -> RunResult:
    if summary.error is not None:
        return failed(draw, failure_row_words(summary.error), summary.digest)
    return RunResult(
        draw.index,
        round(summary.simulated_time * 1e9),
        summary.digest,
        inputs=draw.inputs,
        seen=observer.observations(),
        reproducible=summary.deterministic,
        processor_s=spent_s,
    )


def run_guarded(draw: Draw, make: Callable[[], RunResult]) -> RunResult:
    """Call `make`, and turn any exception into a failed result, so that other runs continue."""
    try:
        return make()
    except Exception as error:
        known = isinstance(error, HetwinError)
        reason = str(error) if known else f"{type(error).__name__}: {error}"
        return replace(failed(draw, reason), refused=isinstance(error, Refused))


def apply_draw(now: BetweenSteps, draw: Draw) -> None:
    """Apply a future's draw to a run; moved bodies keep their velocities.

    Raises:
        Refused: if a model cannot continue with the draw.
        RunFailed: if a model fails.
    """
    scene = now.scene
    poses = {
        entity: np.array([*entry["pose"], *scene.pose(entity)[7:]])
        for entity, entry in draw.scene.items()
    }
    now.alter(poses, draw.parameters)


def run_once(
    scenario: Scenario, options: RunOptions, listeners: Sequence[RunListener] = ()
) -> RunStart:
    """Compute one run with all models in this process, and return its start.

    Args:
        scenario: scenario of the run.
        options: start options.
        listeners: receive the run's states and events.

    Raises:
        BadInput: if the scenario's files or the source cannot be used.
        HetwinError: if the run fails.
    """
    conductor = session(scenario, options=options, listeners=listeners)
    start, summary = conductor.prepare(), conductor.run()
    if summary.error is not None:
        raise HetwinError(failure_row_words(summary.error))
    return start


def overdue(scenario: Scenario, heartbeat: Heartbeat) -> str | None:
    """Describe a run's model call that exceeds its deadline; None if no call does."""
    now = time.monotonic_ns()
    for call in heartbeat.under_way(len(scenario.models)):
        plan = scenario.models[call.index]
        deadline = plan.deadline_of(call.call)
        if now - call.begun_ns > (deadline + GRACE_S) * 1e9:
            reason = f"no answer within its deadline of {deadline:g} s"
            return failure_words(call.call, call.time_ns / 1e9, reason, plan.name)
    return None
