"""The result of one run of a study."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from hetwin_core.ensemble.clock import FAR_FUTURE_NS
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import is_commanded, is_live
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind, Json, phase_of
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.tables.open import RunTables
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite._study.draw import Draw
from hetwin_suite._study.uncertain import Uncertainty

START_PHASES = ("begin", "instant")


@dataclass(frozen=True, slots=True)
class Moment:
    """A future moment of a run, defined by a simulated time or by the start of an action.

    Attributes:
        at_s: simulated time; the moment is the first barrier at or after it [s]. None if an action defines the moment.
        before: operation of an action; the moment is the first start of one. Empty if a time defines the moment.
    """

    at_s: float | None = None
    before: str = ""

    @property
    def latest_ns(self) -> int:
        """The time that defines the moment [ns]; a time that no run reaches if an action does."""
        return FAR_FUTURE_NS if self.at_s is None else round(self.at_s * 1e9)

    def is_now(self, time_ns: int, events: Sequence[Event]) -> bool:
        """Whether a barrier is the moment.

        Args:
            time_ns: time of the barrier.
            events: events handled since the last barrier.
        """
        if self.at_s is not None:
            return time_ns >= self.latest_ns
        return self.action(events) is not None

    def action(self, events: Sequence[Event]) -> Event | None:
        """Return the start event of the action that defines the moment; None if it is not among the events."""
        starts = (
            event
            for event in events
            if event.kind is EventKind.ACTION
            and event.name == self.before
            and phase_of(event) in START_PHASES
        )
        return next(starts, None)


class FutureRunner(Protocol):
    """Computes futures from a moment."""

    def __call__(
        self, draws: Iterable[Draw], until: float | None = None
    ) -> Generator[RunResult, None, None]:
        """Continue the run with each draw, and yield results as futures end.

        Args:
            draws: differences of the futures from the run.
            until: time of `time.monotonic` after which unfinished futures are dropped; None: no limit.
        """


class RunAtMoment(NamedTuple):
    """A run at its moment.

    Attributes:
        time_ns: simulated time [ns].
        uncertainty: uncertainty at the moment.
        scene: scene at the moment; valid only during the call that receives it.
        tables: tables of the run until the moment.
        action: start event of the action that defines the moment; None if a time defines it.
        over_ns: simulated time at which the run's source ends [ns]; None if unknown.
        runs: computes futures from the moment.
        draw: draws from the uncertainty for the future with this index.
    """

    time_ns: int
    uncertainty: Uncertainty
    scene: Snapshot
    tables: RunTables
    action: Event | None
    over_ns: int | None
    runs: FutureRunner
    draw: Callable[[int], Draw]

    def tables_so_far(self) -> Tables:
        """Return finished tables of the run until the moment; the futures' tables are not affected."""
        found: RunTables = pickle.loads(pickle.dumps(self.tables))
        found.finish()
        return found.tables()


def check_repeatable(scenario: Scenario, options: RunOptions, problem: str, expected: str) -> None:
    """Check that a run can be repeated, because it follows neither a live robot nor commands.

    Args:
        scenario: scenario of the run.
        options: start options of the run.
        problem, expected: text of the error.

    Raises:
        BadInput: if it follows a live robot or commands.
    """
    if is_live(scenario, options) or is_commanded(scenario, options):
        raise BadInput(problem, file=scenario.path, where="source", expected=expected)


class RunEvent(NamedTuple):
    """An event of a run.

    Attributes:
        name: name with its entities, e.g. ``collision(ball, bin)``; the same in all runs.
        kind: name of the event, e.g. ``collision``.
        entity: first entity among its arguments; empty without one.
        words: description, e.g. ``ball entered bin``.
        time_ns: simulated time [ns].
    """

    name: str
    kind: str
    entity: str
    words: str
    time_ns: int


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one run: of a whole run, or of a future from a moment on.

    Attributes:
        index: index of its draw.
        end_ns: simulated time at the end [ns].
        digest: digest of the run; empty if it failed earlier.
        state: fluent -> whether it holds at the end.
        outcomes: name -> whether it was achieved; None if unknown.
        flaws: kinds of its flaws in order of first occurrence, each once; empty for futures, which are not searched.
        value: its utility; None if unknown.
        events: events since the start of the run, or since the moment, by time.
        actions: operation and arguments of the program's actions that were not finished at the moment.
        inputs: drawn values by name.
        paths: moved object -> (n, 4) times [s] and positions in the world frame [m].
        seen: result of the study's `Watch`, if it has one; the episode is not judged then.
        reproducible: whether the same draw gives the same run again.
        processor_s: processor time of the run [s].
        error: why the run failed; None if it did not.
        refused: whether the run failed because a model cannot continue with the draw.
        folder: folder of the kept run; None if it is not kept.
    """

    index: int
    end_ns: int = 0
    digest: str = ""
    state: Mapping[str, bool] = field(default_factory=dict)
    outcomes: Mapping[str, bool | None] = field(default_factory=dict)
    flaws: Sequence[str] = ()
    value: float | None = None
    events: Sequence[RunEvent] = ()
    actions: Sequence[tuple[str, Mapping[str, Json]]] = ()
    inputs: Mapping[str, Json] = field(default_factory=dict)
    paths: Mapping[str, Floats] = field(default_factory=dict)
    seen: Any = None
    reproducible: bool = True
    processor_s: float = 0.0
    error: str | None = None
    refused: bool = False
    folder: str | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the run did not fail and all outcomes were achieved."""
        return self.error is None and all(value is True for value in self.outcomes.values())

    def first(self) -> dict[str, RunEvent]:
        """Return name -> first event of this name, by time."""
        found: dict[str, RunEvent] = {}
        for seen in self.events:
            found.setdefault(seen.name, seen)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the row of this run in JSON output."""
        return {
            "index": self.index,
            "folder": self.folder,
            "digest": self.digest,
            "outcomes": dict(self.outcomes),
            "flaws": list(self.flaws),
            "inputs": dict(self.inputs),
            "error": self.error,
        }


def failed(draw: Draw, reason: str, digest: str = "") -> RunResult:
    """Return the result of a failed run."""
    return RunResult(draw.index, digest=digest, inputs=draw.inputs, error=reason)
