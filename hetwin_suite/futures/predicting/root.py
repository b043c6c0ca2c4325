"""The run from which futures go on: it goes to a moment, and is forked there."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint.checkpoint import SOURCE, Checkpoint
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import RunStart, RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.transport.local_ports import local_ports
from hetwin_core.ensemble.words import failure_row_words
from hetwin_core.projection.tables.running import RunTables
from hetwin_suite.futures.drawing.draw import AS_BELIEVED, Draw
from hetwin_suite.futures.drawing.find import find_uncertainty
from hetwin_suite.futures.drawing.moment import of_now
from hetwin_suite.futures.drawing.uncertain import Uncertainty
from hetwin_suite.futures.judging import judged_tables
from hetwin_suite.futures.one_run import overdue
from hetwin_suite.futures.predicting.copied import Asked, Copy
from hetwin_suite.futures.predicting.future import Future
from hetwin_suite.futures.predicting.going_on import check_can_fork, failed, refused
from hetwin_suite.futures.predicting.moment import Moment
from hetwin_suite.futures.predicting.physics_alone import PhysicsAlone
from hetwin_suite.futures.predicting.ways import AsItIs, Way
from hetwin_suite.futures.workers.forks import Ended, Forked, Forks

Result = TypeVar("Result")


class Now(NamedTuple):
    """A run that has come to its moment.

    Attributes:
        time_ns: simulated time [ns].
        uncertainty: what is uncertain now.
        scene: as it is now; not to be kept.
        checkpoint: saves the run as it is now; its tables beside it.
        tables: of the run until now.
        action: the event of the action that begins now; None if a time says when now is.
        over_ns: when the run's source is over; None if it does not say.
    """

    time_ns: int
    uncertainty: Uncertainty
    scene: Snapshot
    checkpoint: Callable[[], tuple[Checkpoint, RunTables]]
    tables: RunTables
    action: Event | None
    over_ns: int | None


class Fork(Protocol):
    """Lets futures go on from the moment."""

    def __call__(self, draws: Iterable[Draw], until: float | None = None) -> list[Future]:
        """Let a future go on with each draw; returns those that are over, in the order in which they were.

        Args:
            draws: what each differs in from the run.
            until: of `time.monotonic`; no future is waited for any longer, and there are none of those.
        """


def at_moment(
    scenario: Scenario,
    options: RunOptions,
    moment: Moment,
    plan: Callable[[Now, Fork], Result],
    *,
    horizon_s: float | None = None,
    jobs: int | None = None,
    out: Path | None = None,
    utility: str | None = None,
    checkpoint: Checkpoint | None = None,
    progress: Callable[[Future], None] = lambda _: None,
    look: Callable[[], None] = lambda: None,
    physics_only: bool = False,
) -> Result:
    """Run to a moment, ask futures there, and return what the plan makes of them.

    Args:
        scenario: what is run.
        options: what the start of the run says.
        moment: from which on futures go on.
        plan: is called once, at the moment, and may fork as often as it likes.
        horizon_s: how long each future goes on [s]; None: to the end of the source.
        jobs: how many futures at a time; None: one per core.
        out: folder in which each future is kept as an episode, by its index; None: nowhere.
        utility: a question to each future's episode whose answer is its value; None: whether all outcomes came about.
        checkpoint: of this run, to begin with; None: the run begins at its start.
        progress: is called with each future that is over.
        look: is called several times a second while futures go on.
        physics_only: futures go on by physics alone.

    Raises:
        BadInput: if the scenario cannot be used or forked, or the moment does not come, or there is more than physics.
        HetwinError: if the run fails before the moment.
    """
    root = Root(scenario, options, jobs, look)
    root.out, root.utility = out, utility
    root.progress, root.physics_only = progress, physics_only
    return root.at_moment(moment, plan, horizon_s=horizon_s, checkpoint=checkpoint)


class Root:
    """A run that goes to a moment, once, and is forked there.

    Args:
        scenario, options, jobs, look: see `at_moment`.

    Attributes:
        out, utility, progress, physics_only: see `at_moment`.

    Raises:
        BadInput: if the scenario cannot be forked.
    """

    _moment: Moment
    _plan: Callable[[Now], None]
    _between: BetweenSteps
    _uncertainty: Uncertainty

    def __init__(
        self,
        scenario: Scenario,
        options: RunOptions,
        jobs: int | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        check_can_fork(scenario, options)
        self.out: Path | None = None
        self.utility: str | None = None
        self.progress: Callable[[Future], None] = lambda _: None
        self.physics_only = False
        self._forks = Forks(jobs, lambda heartbeat: overdue(scenario, heartbeat), look)
        self._scenario = scenario
        self._horizon_s: float | None = None
        self._source: Mapping[str, Any] | None = None
        self._start: RunStart | None = None
        self._ports = local_ports(scenario, one_process=True)
        self._tables = RunTables(scenario.file.log.state_rate)
        self._conductor = Conductor(scenario, self._ports, [self._tables], options)
        self._way: Way[Future] | None = None
        self._beside_s = 0.0  # processor time of other copies than futures
        self._at_ns = 0
        self._planned = False
        self._failure: BaseException | None = None

    def prepare(self) -> None:
        """Bring the models to where they can start, so that `at_moment` need not.

        Raises:
            BadInput: if the scenario, its files or the source cannot be used.
            RunFailed: if a model fails.
        """
        self._start = self._conductor.prepare()
        self._uncertainty = find_uncertainty(self._scenario, self._start)

    def dismiss(self) -> None:
        """Stop the models of a run that is prepared and will not begin."""
        self._conductor.dismiss()

    def at_moment(
        self,
        moment: Moment,
        plan: Callable[[Now, Fork], Result],
        *,
        horizon_s: float | None = None,
        checkpoint: Checkpoint | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> Result:
        """See the function `at_moment`; in a forked process this does not return.

        Args:
            moment, plan, horizon_s, checkpoint: see there.
            source: with which the run goes on from where it begins; None: with its own.
        """
        results: list[Result] = []
        self._plan = lambda now: results.append(plan(now, self._fork))
        self._moment, self._horizon_s, self._source = moment, horizon_s, source
        if self._start is None:
            self.prepare()
        assert self._start is not None
        if checkpoint is not None:
            self._conductor.go_on_from(checkpoint)
        self._check_time(self._start.duration_ns)
        self._conductor.at_barriers(self._at_barrier)
        summary = self._conductor.run()
        if self._failure is not None:
            raise self._failure
        if not results:
            raise self._never(summary)
        return results[0]

    def _check_time(self, last_ns: int | None) -> None:
        at = self._moment.at_s
        if at is not None and last_ns is not None and at * 1e9 >= last_ns:
            expected = f"a time before {last_ns / 1e9:g} s"
            raise BadInput("the run is over by then", where="--at", found=at, expected=expected)

    def _never(self, summary: RunSummary) -> HetwinError:
        """Why there are no futures of a run that has ended before their moment."""
        if summary.error is not None:
            return HetwinError(failure_row_words(summary.error))
        end, at = f"{summary.simulated_time:g} s", self._moment.at_s
        if at is not None:
            problem, expected = f"the run ended at {end}", "an earlier time"
            return BadInput(problem, where="--at", found=at, expected=expected)
        tasks = self._tables.tables().tasks
        begun = ", ".join(dict.fromkeys(task.operation for task in tasks if task.operation))
        return BadInput(
            f"no such action has begun until {end}",
            where="--before",
            found=self._moment.before,
            expected=f"one of {begun}" if begun else "--at T, for no action begins",
        )

    def _at_barrier(self, between: BetweenSteps) -> None:
        if self._planned:
            return
        try:
            self._take_source(between)
            if not self._moment.is_now(between.time_ns, between.events):
                return
            self._at_ns, self._between, self._planned = between.time_ns, between, True
            self._plan(self._now(between))
        except BaseException as error:
            self._failure = error
        self._conductor.stop()

    def _take_source(self, between: BetweenSteps) -> None:
        source, self._source = self._source, None
        if source is not None:
            between.alter({}, {self._scenario.main.name: {SOURCE: source}})

    def _now(self, between: BetweenSteps) -> Now:
        scene = between.scene
        uncertainty, action = of_now(self._uncertainty, scene), self._moment.action(between.events)
        over_ns = None if self._start is None else self._start.duration_ns
        return Now(self._at_ns, uncertainty, scene, self._checkpoint, self._tables, action, over_ns)

    def _checkpoint(self) -> tuple[Checkpoint, RunTables]:
        return self._between.checkpoint(), self._tables

    def _fork(self, draws: Iterable[Draw], until: float | None = None) -> list[Future]:
        found: list[Future] = []
        # What all copies need is loaded and computed once, before there are any.
        for port in self._ports:
            port.change({})
        self._tables.take_in()
        judged_tables(self._tables.tables(), self._scenario.file.outcomes)
        if self._way is None:
            is_alone, models = self.physics_only, (self._scenario, self._ports)
            self._way = (
                PhysicsAlone(*models).way(self._between, self._one) if is_alone else AsItIs()
            )
        for ended in self._copies(self._way, draws, until):
            future = _of(ended)
            if future.refused:
                raise self._scenario.placed(refused(future))
            future = replace(future, processor_s=future.processor_s + self._beside_s)
            self._beside_s = 0.0
            found.append(future)
            if future.index >= 0:
                self.progress(future)
        return found

    def _one(self, way: Way[object]) -> object:
        """Let one copy go on with nothing drawn; returns what came of it."""
        (ended,) = self._copies(way, [AS_BELIEVED])
        self._beside_s += ended.processor_s
        return _of(ended) if ended.result is None else ended.result

    def _copies(
        self, way: Way[Any], draws: Iterable[Draw], until: float | None = None
    ) -> Generator[Ended[Draw, Any], None, None]:
        """Yield what comes of each draw; in a copy of this process, go on with some of them and end."""
        for one in self._forks.work(draws, until):
            if isinstance(one, Forked):
                Copy(self._asked(way), self._between, self._ports, self._tables).work(one)
            yield one

    def _asked(self, way: Way[Any]) -> Asked:
        end_ns = None
        if self._horizon_s is not None:
            end_ns = self._at_ns + round(self._horizon_s * 1e9)
        return Asked(self._scenario, way, self._at_ns, end_ns, self.utility, self.out)


def _of(ended: Ended[Draw, Any]) -> Future:
    """Return the future that was made of a draw."""
    if ended.result is None:
        return replace(failed(ended.task, ended.lost), processor_s=ended.processor_s)
    assert isinstance(ended.result, Future)
    return replace(ended.result, processor_s=ended.processor_s)
