"""The run from which futures go on: it goes to a moment, and is forked there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import is_commanded, is_live
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.ensemble.transport.local_ports import local_ports
from hetwin_core.ensemble.words import failure_row_words
from hetwin_core.projection.log_writer import RunLog
from hetwin_core.projection.tables.running import RunTables
from hetwin_suite.futures.drawing.draw import Draw
from hetwin_suite.futures.drawing.find import find_uncertainty
from hetwin_suite.futures.drawing.moment import of_now
from hetwin_suite.futures.drawing.uncertain import Uncertainty
from hetwin_suite.futures.judging import judged_tables
from hetwin_suite.futures.one_run import overdue
from hetwin_suite.futures.predicting.future import Future
from hetwin_suite.futures.predicting.moment import Moment
from hetwin_suite.futures.predicting.seen import events_since, paths_since
from hetwin_suite.futures.workers.forks import Ended, Forked, Forks


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about the future.

    Attributes:
        moment: from which on.
        futures: how many.
        horizon_s: how long each goes on [s]; None: to the end of the source.
        within_s: wall time after which no future is waited for [s]; None: all are.
        seed: of the draws.
        jobs: how many at a time; None: one per core.
        out: folder in which each future is kept as an episode; None: nowhere.
        drawn: whether what is uncertain is drawn; else all futures are alike.
    """

    moment: Moment
    futures: int
    horizon_s: float | None = None
    within_s: float | None = None
    seed: int = 0
    jobs: int | None = None
    out: Path | None = None
    drawn: bool = True


Fork: TypeAlias = Callable[[Iterable[Draw]], list[Future]]
"""Lets futures go on from the moment, each with a draw, and returns those that are over, in the order of their ends."""

Plan: TypeAlias = Callable[[Uncertainty, Snapshot, Fork], None]
"""Decides at the moment which futures there are: gets what is uncertain then, the scene, and what makes futures."""


class Found(NamedTuple):
    """What came of the futures of a moment.

    Attributes:
        at_ns: the moment.
        end_ns: until when they were to go on; None: to the end of the source.
        futures: those that are over, by index; a failed one has an error.
        wall_s: wall time from the moment on [s].
    """

    at_ns: int
    end_ns: int | None
    futures: Sequence[Future]
    wall_s: float


def futures_of(
    scenario: Scenario,
    options: RunOptions,
    asked: Asked,
    progress: Callable[[Future], None] = lambda _: None,
    look: Callable[[], None] = lambda: None,
    plan: Plan | None = None,
) -> Found:
    """Run to a moment, let futures go on from there, and return what came of them.

    Args:
        scenario: what is run.
        options: what the start of the run says.
        asked: what is asked.
        progress: is called with each future that is over.
        look: is called several times a second while they go on.
        plan: decides which futures there are; None: as many as are asked for, each with a draw of its own.

    Raises:
        BadInput: if the scenario cannot be used or forked, or the moment does not come.
        HetwinError: if the run fails before the moment.
    """
    return _Root(scenario, options, asked, progress, look, plan).found()


class _Parted(BaseException):
    """Leaves a plan in a forked process, which goes on as a future."""


class _Root:
    def __init__(
        self,
        scenario: Scenario,
        options: RunOptions,
        asked: Asked,
        progress: Callable[[Future], None],
        look: Callable[[], None],
        plan: Plan | None,
    ) -> None:
        _check_can_fork(scenario, options)
        self._scenario, self._asked, self._progress = scenario, asked, progress
        self._ports = local_ports(scenario, one_process=True)
        self._tables = RunTables(scenario.file.log.state_rate)
        self._conductor = Conductor(scenario, self._ports, [self._tables], options)
        self._start = self._conductor.prepare()
        self._uncertainty = find_uncertainty(scenario, self._start)
        self._forks = Forks(asked.jobs, lambda heartbeat: overdue(scenario, heartbeat), look)
        self._forked: Forked[Draw, Future] | None = None
        self._plan = plan or self._all
        self._until: float | None = None
        self._came = False
        self._at_ns = 0
        self._end_ns: int | None = None
        self._wall_s = 0.0
        self._futures: list[Future] = []
        self._failure: HetwinError | None = None

    def found(self) -> Found:
        """Run; in a forked process this does not return."""
        self._check_time()
        self._conductor.at_barriers(self._at_barrier)
        try:
            summary = self._conductor.run()
        except BaseException as error:
            if self._forked is not None:
                self._forked.end(_failed(self._forked.task, f"{type(error).__name__}: {error}"))
            raise
        if self._forked is not None:
            self._forked.end(self._future(self._forked.task, summary))
        if self._failure is not None:
            raise self._failure
        if not self._came:
            raise self._never(summary)
        futures = tuple(sorted(self._futures, key=lambda one: one.index))
        return Found(self._at_ns, self._end_ns, futures, self._wall_s)

    def _check_time(self) -> None:
        at, last = self._asked.moment.at_s, self._start.duration_ns
        if at is not None and last is not None and at * 1e9 >= last:
            raise BadInput(
                "the run is over by then",
                where="--at",
                found=at,
                expected=f"a time before {last / 1e9:g} s",
            )

    def _never(self, summary: RunSummary) -> HetwinError:
        """Why there are no futures of a run that has ended before their moment."""
        if summary.error is not None:
            return HetwinError(failure_row_words(summary.error))
        moment, end = self._asked.moment, f"{summary.simulated_time:g} s"
        if moment.at_s is not None:
            return BadInput(
                f"the run ended at {end}",
                where="--at",
                found=moment.at_s,
                expected="an earlier time",
            )
        begun = dict.fromkeys(
            task.operation for task in self._tables.tables().tasks if task.operation
        )
        return BadInput(
            f"no such action has begun until {end}",
            where="--before",
            found=moment.before,
            expected="one of " + ", ".join(begun) if begun else "--at T, for no action begins",
        )

    def _at_barrier(self, time_ns: int, events: Sequence[Event]) -> None:
        if self._came or not self._asked.moment.is_now(time_ns, events):
            return
        self._came, self._at_ns = True, time_ns
        if self._asked.horizon_s is not None:
            self._end_ns = time_ns + round(self._asked.horizon_s * 1e9)
        try:
            self._follow_plan()
        except _Parted:
            return
        except HetwinError as error:
            self._failure = error
        self._conductor.stop()

    def _follow_plan(self) -> None:
        scene = self._conductor.scene
        assert scene is not None  # the run goes on
        uncertainty = of_now(self._uncertainty, scene) if self._asked.drawn else _NOTHING
        within, begun = self._asked.within_s, time.monotonic()
        self._until = None if within is None else begun + within
        self._plan(uncertainty, scene, self._fork)
        self._wall_s = time.monotonic() - begun

    def _all(self, uncertainty: Uncertainty, scene: Snapshot, fork: Fork) -> None:
        """Make as many futures as are asked for."""
        fork(uncertainty.draw(self._asked.seed, index) for index in range(self._asked.futures))

    def _fork(self, draws: Iterable[Draw]) -> list[Future]:
        """Make futures, and wait for them; in a forked process this does not return."""
        found: list[Future] = []
        for one in self._forks.work(draws, self._until):
            if isinstance(one, Forked):
                self._forked = one
                self._part(one)
                raise _Parted
            future = _of(one)
            found.append(future)
            self._futures.append(future)
            self._progress(future)
        return found

    def _part(self, forked: Forked[Draw, Future]) -> None:
        """Go on as a future, in the forked process."""
        for port in self._ports:
            assert isinstance(port, LocalPort)  # all are in one process
            port.report_to(forked.heartbeat.row(port.plan.index))
        draw = forked.task
        try:
            self._conductor.alter(self._poses(draw), draw.parameters)
        except HetwinError as error:
            forked.end(_failed(draw, str(error)))
        if self._end_ns is not None:
            self._conductor.end_at(self._end_ns)
        if self._asked.out is not None:
            rate = self._scenario.file.log.state_rate
            self._conductor.add_listener(RunLog(self._folder(draw.index), state_rate=rate))

    def _poses(self, draw: Draw) -> dict[str, Floats]:
        """Return entity -> (13,) drawn pose; what moves goes on as fast."""
        scene = self._conductor.scene
        assert scene is not None  # the run goes on
        return {
            entity: np.array([*entry["pose"], *scene.pose(entity)[7:]])
            for entity, entry in draw.scene.items()
        }

    def _folder(self, index: int) -> Path:
        assert self._asked.out is not None  # futures are kept
        return self._asked.out / "futures" / f"{index:04d}"

    def _future(self, draw: Draw, summary: RunSummary) -> Future:
        """Return what came of this process, which is a future that is over."""
        if summary.error is not None:
            return _failed(draw, failure_row_words(summary.error))
        try:
            tables = self._tables.tables()
            outcomes = judged_tables(tables, self._scenario.file.outcomes)
            return Future(
                index=draw.index,
                end_ns=tables.known_until_ns,
                digest=summary.digest,
                state={name: bool(value) for name, value in summary.state.items()},
                outcomes=outcomes,
                events=events_since(tables, self._at_ns),
                inputs=draw.inputs,
                paths=paths_since(tables, self._at_ns),
                reproducible=summary.deterministic,
                folder="" if self._asked.out is None else str(self._folder(draw.index)),
            )
        except Exception as error:
            return _failed(draw, f"{type(error).__name__}: {error}")


_NOTHING = Uncertainty("")


def _failed(draw: Draw, reason: str) -> Future:
    return Future(draw.index, inputs=draw.inputs, error=reason)


def _of(ended: Ended[Draw, Future]) -> Future:
    if ended.result is None:
        return replace(_failed(ended.task, ended.lost), processor_s=ended.processor_s)
    return replace(ended.result, processor_s=ended.processor_s)


def _check_can_fork(scenario: Scenario, options: RunOptions) -> None:
    """See that a process with this ensemble can be forked.

    Raises:
        BadInput: if it cannot.
    """
    if is_live(scenario, options) or is_commanded(scenario, options):
        raise BadInput(
            "what follows a robot or commands has no future that is known",
            file=scenario.path,
            where="source",
            expected="a recording, a trajectory, a plan or a program",
        )
    for plan in scenario.models:
        if plan.stepping is not Stepping.SERVICE or plan.beside:
            how = "beside the main model" if plan.beside else f"by {plan.stepping.value}"
            raise BadInput(
                f"{plan.name} is stepped {how}, in a thread that does not survive a fork",
                file=scenario.path,
                where=f"models.{plan.name}",
                expected="models that are stepped by service, after the main model",
            )
