"""The result of one run of a study."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

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

BEGUN = ("begin", "instant")


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment that is still to come: a simulated time, or the begin of an action.

    Attributes:
        at_s: the first barrier at or after this time [s]; None if an action defines it.
        before: name of the operation whose first begin it is; empty if a time defines it.
    """

    at_s: float | None = None
    before: str = ""

    def is_now(self, time_ns: int, events: Sequence[Event]) -> bool:
        """Whether it has come.

        Args:
            time_ns: of the barrier.
            events: that were handled since the last one.
        """
        if self.at_s is not None:
            return time_ns >= round(self.at_s * 1e9)
        return self.action(events) is not None

    def action(self, events: Sequence[Event]) -> Event | None:
        """Return the begin of the action that makes it; None if a time does, or the action has not begun."""
        begun = (
            event
            for event in events
            if event.kind is EventKind.ACTION
            and event.name == self.before
            and phase_of(event) in BEGUN
        )
        return next(begun, None)


class Runs(Protocol):
    """Makes runs from a moment."""

    def __call__(
        self, draws: Iterable[Draw], until: float | None = None
    ) -> Generator[RunResult, None, None]:
        """Let a run go on with each draw, and yield those that are over as they end.

        Args:
            draws: their differences from the run.
            until: of `time.monotonic`; no run is waited for any longer, and there are none of those.
        """


class Now(NamedTuple):
    """A run that has come to its moment.

    Attributes:
        time_ns: simulated time [ns].
        uncertainty: the present one.
        scene: as it is now; not to be kept.
        tables: of the run until now.
        action: the event of the action that begins now; None if a time defines the moment.
        over_ns: when the run's source is over; None if unknown.
        runs: makes runs from here.
        draw: draws the present uncertainty for the run of this number.
    """

    time_ns: int
    uncertainty: Uncertainty
    scene: Snapshot
    tables: RunTables
    action: Event | None
    over_ns: int | None
    runs: Runs
    draw: Callable[[int], Draw]

    def tables_so_far(self) -> Tables:
        """Return the tables of the run as if it were over; those of its futures go on."""
        found: RunTables = pickle.loads(pickle.dumps(self.tables))
        found.finish()
        return found.tables()


def check_begins_again(
    scenario: Scenario, options: RunOptions, problem: str, expected: str
) -> None:
    """See that a run does not follow a robot or commands.

    Args:
        scenario: of the run.
        options: of its start.
        problem: of that.
        expected: instead.

    Raises:
        BadInput: if it does.
    """
    if is_live(scenario, options) or is_commanded(scenario, options):
        raise BadInput(problem, file=scenario.path, where="source", expected=expected)


class Seen(NamedTuple):
    """An event of a run.

    Attributes:
        name: e.g. ``collision(ball, bin)``; alike in all runs.
        kind: its own name, e.g. ``collision``.
        entity: its first subject; empty if that is none of the scene.
        words: e.g. ``ball entered bin``.
        time_ns: when it happened.
    """

    name: str
    kind: str
    entity: str
    words: str
    time_ns: int


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one run: a whole one, or a future that went on from a moment.

    Attributes:
        index: of its draw.
        end_ns: simulated time at which it ended.
        digest: of the run; empty if it failed before it had one.
        state: truth -> whether it holds at the end.
        outcomes: name -> whether it was achieved; None if unknown.
        flaws: their kinds, each once, in the order in which they came about; none are looked for in futures.
        value: its utility; None if none was requested, or unknown.
        events: since it began, or since the moment, by time.
        actions: operations and their arguments that were not over at the moment.
        inputs: drawn values by name.
        paths: object -> (n, 4) times [s] and positions in the world [m] of moved objects.
        seen: the watch's result, in a study that has one; all else of the episode is not looked at then.
        reproducible: whether it would come out the same again.
        processor_s: processor time that it took [s].
        error: why it failed; None if it did not.
        refused: whether it failed because a model cannot go on with the draw.
        folder: where it is kept; None if it is not.
    """

    index: int
    end_ns: int = 0
    digest: str = ""
    state: Mapping[str, bool] = field(default_factory=dict)
    outcomes: Mapping[str, bool | None] = field(default_factory=dict)
    flaws: Sequence[str] = ()
    value: float | None = None
    events: Sequence[Seen] = ()
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
        """Whether all outcomes came about."""
        return self.error is None and all(value is True for value in self.outcomes.values())

    def first(self) -> dict[str, Seen]:
        """Return each event at its first time, by name, in the order of time."""
        found: dict[str, Seen] = {}
        for seen in self.events:
            found.setdefault(seen.name, seen)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
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
    """Return a run that broke down."""
    return RunResult(draw.index, digest=digest, inputs=draw.inputs, error=reason)
