"""The run that futures continue: it runs to a moment, and is forked or saved there."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint import SOURCE, Checkpoint
from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.reporting.listener import RunStart, RunSummary
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.ensemble.words import failure_row_words
from hetwin_core.episodes.tables.open import RunTables
from hetwin_suite._study.copied import Continuation, ForkedRun, WholeEnsemble
from hetwin_suite._study.draw import AS_BELIEVED, Draw
from hetwin_suite._study.find import find_uncertainty
from hetwin_suite._study.forks import Forked, Forks
from hetwin_suite._study.judging import judged_tables
from hetwin_suite._study.making import RunJob, SavedRun, overdue
from hetwin_suite._study.physics_alone import PhysicsAlone
from hetwin_suite._study.run_result import Moment, RunAtMoment, RunResult, check_repeatable, failed
from hetwin_suite._study.study import Study
from hetwin_suite._study.uncertain import EstimatedPose, UncertainPose, Uncertainty
from hetwin_suite._study.work import FinishedTask

Result = TypeVar("Result")


def at_moment(
    study: Study,
    moment: Moment,
    plan: Callable[[RunAtMoment], Result],
    *,
    physics_only: bool = False,
) -> Result:
    """Run to a moment, call a function there, and return its result.

    Args:
        study: the scenario, and how futures are computed, kept and judged.
        moment: moment at which futures begin.
        plan: called once at the moment, in this process; its argument's `RunAtMoment.runs` computes futures.
        physics_only: compute futures by physics alone; no other model may take part in them.

    Raises:
        BadInput: if the scenario cannot be used or forked, the run ends before the moment, or `physics_only` is not
            possible.
        HetwinError: if the run fails before the moment.
    """
    return Root(study, physics_only=physics_only).at_moment(moment, plan)


class Root:
    """A run to a moment, from which futures continue; used once.

    Args:
        study: the scenario, and how futures are computed, kept and judged.
        physics_only: compute futures by physics alone.

    Raises:
        BadInput: if the scenario cannot be forked.
    """

    _between: BetweenSteps
    _start: RunStart | None = None

    def __init__(self, study: Study, *, physics_only: bool = False) -> None:
        scenario = study.scenario
        _check_can_fork(study)
        self._study, self._scenario, self._physics_only = study, scenario, physics_only
        self._forks = Forks(study.jobs, partial(overdue, scenario), study.look)
        self._tables = RunTables(scenario.file.log.state_rate)
        self._conductor = session(scenario, options=study.options, listeners=[self._tables])
        self._ports = self._conductor.ports
        self._continuation: Continuation[RunResult] | None = None
        self._overhead_s = 0.0  # processor time of forks that compute no requested future

    def prepare(self) -> None:
        """Initialize the models in advance; `at_moment` does so otherwise.

        Raises:
            BadInput: if the scenario, its files or the source cannot be used.
            RunFailed: if a model fails.
        """
        self._start = self._conductor.prepare()
        self._uncertainty = find_uncertainty(self._scenario, self._start)

    def at_moment(
        self,
        moment: Moment,
        plan: Callable[[RunAtMoment], Result],
        *,
        checkpoint: Checkpoint | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> Result:
        """See the function `at_moment`; in a forked process this does not return.

        Args:
            moment, plan: as for the function `at_moment`.
            checkpoint: checkpoint of this run at which it begins; None: its start.
            source: source that replaces the run's own from its beginning on; None: its own.
        """
        if self._start is None:
            self.prepare()
        assert self._start is not None
        if checkpoint is not None:
            self._conductor.continue_from(checkpoint)
        self._check_time(moment, self._start.duration_ns)
        found: list[Callable[[], Result]] = []
        sources = [source] if source is not None else []

        def at_barrier(between: BetweenSteps) -> None:
            if found:
                return
            try:
                if sources:
                    between.alter({}, {self._scenario.main.name: {SOURCE: sources.pop()}})
                elif not moment.is_now(between.time_ns, between.events):
                    between.rest(moment.latest_ns)
                if not moment.is_now(between.time_ns, between.events):
                    return
                result = plan(self._still_placed(moment, between))
                found.append(lambda: result)
            except BaseException as error:
                found.append(partial(_raise, error))
            self._conductor.stop()

        self._conductor.at_barriers(at_barrier)
        summary = self._conductor.run()
        if not found:
            raise self._moment_error(moment, summary)
        return found[0]()

    def _check_time(self, moment: Moment, last_ns: int | None) -> None:
        at = moment.at_s
        if at is not None and last_ns is not None and at * 1e9 >= last_ns:
            expected = f"a time before {last_ns / 1e9:g} s"
            raise BadInput("the run has ended by then", where="--at", found=at, expected=expected)

    def _moment_error(self, moment: Moment, summary: RunSummary) -> HetwinError:
        """Return the error for a run that ended before the moment."""
        if summary.error is not None:
            return HetwinError(failure_row_words(summary.error))
        end, at = f"{summary.simulated_time:g} s", moment.at_s
        if at is not None:
            problem, expected = f"the run ended at {end}", "an earlier time"
            return BadInput(problem, where="--at", found=at, expected=expected)
        tasks = self._tables.tables().tasks
        started = ", ".join(dict.fromkeys(task.operation for task in tasks if task.operation))
        return BadInput(
            f"no such action has begun until {end}",
            where="--before",
            found=moment.before,
            expected=f"one of {started}" if started else "--at T, for no action begins",
        )

    def _still_placed(self, moment: Moment, between: BetweenSteps) -> RunAtMoment:
        self._between = between
        uncertainty = uncertainty_at(self._uncertainty, between.scene)
        return RunAtMoment(
            between.time_ns,
            uncertainty,
            between.scene,
            self._tables,
            moment.action(between.events),
            None if self._start is None else self._start.duration_ns,
            self._futures_by_forks if self._study.workers is None else self._futures_by_workers,
            partial(uncertainty.draw, self._study.seed),
        )

    def _job(self, saved: SavedRun | None) -> RunJob:
        study, end_ns = self._study, None
        if study.horizon_s is not None:
            end_ns = self._between.time_ns + round(study.horizon_s * 1e9)
        return RunJob(
            *(study.watcher, study.options, study.out, study.keep, study.utility),
            saved=saved,
            end_ns=end_ns,
            under="futures",
        )

    def _futures_by_workers(
        self, draws: Iterable[Draw], until: float | None = None
    ) -> Generator[RunResult, None, None]:
        """See `Runs`: workers restore a checkpoint of the run."""
        saved = SavedRun(self._between.checkpoint(), pickle.dumps(self._tables))
        for future in self._study.compute(self._job(saved), draws):
            yield future
            if until is not None and time.monotonic() >= until:
                return

    def _futures_by_forks(
        self, draws: Iterable[Draw], until: float | None = None
    ) -> Generator[RunResult, None, None]:
        """See `Runs`: forks of this process continue the run."""
        # Load and compute shared data once, before forking.
        for port in self._ports:
            port.change({})
        self._tables.take_in()
        judged_tables(self._tables.tables(), self._scenario.file.outcomes)
        if self._continuation is None:
            self._continuation = WholeEnsemble()
            if self._physics_only:
                alone = PhysicsAlone(self._scenario, self._ports)
                self._continuation = alone.continuation(self._between, self._run_fork)
        for ended in self._fork_results(self._continuation, draws, until):
            future = _future_of(ended)
            future = replace(future, processor_s=future.processor_s + self._overhead_s)
            self._overhead_s = 0.0
            yield self._study.over(future)

    def _run_fork(self, continuation: Continuation[object]) -> object:
        """Continue one fork without drawn values; returns its report, or the failed result."""
        (ended,) = self._fork_results(continuation, [AS_BELIEVED])
        self._overhead_s += ended.processor_s
        return _future_of(ended) if ended.result is None else ended.result

    def _fork_results(
        self, continuation: Continuation[Any], draws: Iterable[Draw], until: float | None = None
    ) -> Generator[FinishedTask[Draw, Any], None, None]:
        """Yield the result of each draw in the parent; a fork computes some of the draws and exits."""
        job = self._job(saved=None)
        for done in self._forks.work(draws, until):
            if isinstance(done, Forked):
                run, ports = self._between, self._ports
                ForkedRun(self._scenario, job, continuation, run, ports, self._tables).work(done)
            yield done


def _future_of(done: FinishedTask[Draw, Any]) -> RunResult:
    """Return the result of a draw's future; a failed one if its worker was lost."""
    found = failed(done.task, done.lost) if done.result is None else done.result
    assert isinstance(found, RunResult)
    return replace(found, processor_s=done.processor_s)


def _raise(error: BaseException) -> Any:
    raise error


def _check_can_fork(study: Study) -> None:
    """Check that a process with this ensemble can be forked.

    Raises:
        BadInput: if it cannot.
    """
    problem = "the future of a run that follows a robot or commands cannot be computed"
    expected = "a recording, a trajectory, a plan or a program"
    check_repeatable(study.scenario, study.options, problem, expected)
    for plan in study.scenario.models:
        if plan.stepping is not Stepping.SERVICE or plan.beside:
            how = "beside the main model" if plan.beside else f"by {plan.stepping.value}"
            raise BadInput(
                f"{plan.name} is stepped {how}, in a thread that does not survive a fork",
                file=study.scenario.path,
                where=f"models.{plan.name}",
                expected="models that are stepped by service, after the main model",
            )


COVARIANCE = "pose_covariance"
"""Attribute of an object in a hand: the upper triangle of the covariance of its pose."""
MOVED_M = 0.005
"""Maximum displacement along an axis of an object that counts as not moved since the start [m]."""
MOVED_RAD = 0.05
"""Maximum rotation of an object that counts as not moved since the start [rad]."""


def uncertainty_at(uncertainty: Uncertainty, now: Snapshot) -> Uncertainty:
    """Return the uncertainty at a moment of a run.

    The scenario's uncertainty of a pose describes the start. It remains valid until the object, or anything that it
    carries, is moved or handed over to another model: an object that was grasped was at its believed pose. The
    uncertainty of an object in a hand is the covariance that the localizing model estimates.

    Args:
        uncertainty: uncertainty of the scenario.
        now: scene at the moment.
    """
    placed = [_still_placed(placed, now) for placed in uncertainty.placed]
    return replace(
        uncertainty,
        placed=tuple(placed for placed in placed if placed is not None),
        grasped=tuple(_estimated(now)),
    )


def _estimated(now: Snapshot) -> Iterator[EstimatedPose]:
    """Yield the objects whose pose a model estimates with a covariance."""
    for slot in now.layout.slots:
        if slot.attribute.name != COVARIANCE:
            continue
        triangle = now.get(slot.entity, COVARIANCE)
        model = now.owner(slot.entity, COVARIANCE)
        if triangle.any() and now.owner(slot.entity, POSE.name) == model:
            covariance = np.zeros((6, 6))
            covariance[np.triu_indices(6)] = triangle
            covariance += np.triu(covariance, 1).T
            yield EstimatedPose(slot.entity, model, covariance)


def _still_placed(placed: UncertainPose, now: Snapshot) -> UncertainPose | None:
    poses = {entity: np.array(now.pose(entity)) for entity in placed.poses}
    main = now.owner(placed.entity, POSE.name)
    for entity, pose in poses.items():
        nominal = placed.poses[entity]
        is_free = now.layout.entity(entity).kind is EntityKind.OBJECT
        if is_free and now.owner(entity, POSE.name) != main:
            return None
        turned = 2.0 * np.arccos(min(1.0, abs(float(pose[3:7] @ nominal[3:7]))))
        if np.abs(pose[:3] - nominal[:3]).max() > MOVED_M or turned > MOVED_RAD:
            return None
    return placed._replace(poses={entity: pose[:7] for entity, pose in poses.items()})
