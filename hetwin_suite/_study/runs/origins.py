"""Where runs go on: a moment of a run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from hetwin_core.ensemble.annotations import phase_of
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import is_commanded, is_live
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.episodes.tables.open import RunTables
from hetwin_suite._study.drawing.draw import Draw
from hetwin_suite._study.drawing.uncertain import Uncertainty
from hetwin_suite._study.runs.run_result import RunResult

BEGUN = ("begin", "instant")


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment that is still to come: a simulated time, or the begin of an action.

    Attributes:
        at_s: the first barrier at or after this time [s]; None if an action says it.
        before: name of the operation whose first begin it is; empty if a time says it.
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
            draws: what each differs in from the run.
            until: of `time.monotonic`; no run is waited for any longer, and there are none of those.
        """


class Now(NamedTuple):
    """A run that has come to its moment.

    Attributes:
        time_ns: simulated time [ns].
        uncertainty: what is uncertain now.
        scene: as it is now; not to be kept.
        tables: of the run until now.
        action: the event of the action that begins now; None if a time says when now is.
        over_ns: when the run's source is over; None if it does not say.
        runs: makes runs from here.
        draw: draws what is uncertain now for the run of this number.
    """

    time_ns: int
    uncertainty: Uncertainty
    scene: Snapshot
    tables: RunTables
    action: Event | None
    over_ns: int | None
    runs: Runs
    draw: Callable[[int], Draw]


def check_begins_again(
    scenario: Scenario, options: RunOptions, problem: str, expected: str
) -> None:
    """See that a run does not follow a robot or commands.

    Args:
        scenario: what is run.
        options: what its start says.
        problem: what is wrong if it does.
        expected: instead.

    Raises:
        BadInput: if it does.
    """
    if is_live(scenario, options) or is_commanded(scenario, options):
        raise BadInput(problem, file=scenario.path, where="source", expected=expected)
