"""What was found in a log: all that its tables are made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.episodes.following.log_file import Place
from hetwin_core.episodes.following.states import States
from hetwin_core.episodes.tables.belief_errors import ErrorList
from hetwin_core.episodes.tables.belief_list import BeliefColumns, BeliefList
from hetwin_core.episodes.tables.deriving.derivation import Derivation
from hetwin_core.episodes.tables.deriving.pose_errors import PoseError
from hetwin_core.episodes.tables.event_list import EventList
from hetwin_core.episodes.tables.occasion_list import OccasionList, Stretch
from hetwin_core.episodes.tables.poses import LogPoses, Piece
from hetwin_core.episodes.tables.rows import Happening, Interval, Task
from hetwin_core.episodes.tables.tables import Tables
from hetwin_core.episodes.tables.timeline import Timeline
from hetwin_core.episodes.tables.unseen import Unseen


@dataclass(frozen=True)
class Found:
    """What was found in a log.

    Attributes:
        until_ns: time until which it is known.
        finished: whether the log is complete.
        stretches: occasions.
        of_fluent: the numbers of those of each fluent.
        happenings: events.
        tasks: of the robot's program.
        beliefs: of the robot, put together when they are asked for.
        believed: the pairs of a fluent and an entity that there are beliefs about.
        pose_errors: entity -> where believed poses are wrong.
        recorded: the fluents about the world that the log can know.
        timeline: times of all states.
        pieces: chunks with states.
        expects: of the scenario.
        unclear: see `Derivation`.
    """

    until_ns: int
    finished: bool
    stretches: Sequence[Stretch]
    of_fluent: Mapping[str, Sequence[int]]
    happenings: Sequence[Happening]
    tasks: Sequence[Task]
    beliefs: Callable[[], BeliefColumns]
    believed: frozenset[tuple[str, str]]
    pose_errors: Mapping[str, Sequence[PoseError]]
    recorded: frozenset[str]
    timeline: Timeline
    pieces: Sequence[Piece]
    expects: Mapping[str, tuple[str, ...]]
    unclear: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(
        cls, derivation: Derivation, until_ns: int, finished: bool, given: Mapping[str, Any]
    ) -> Found:
        """Return what was derived so far.

        Args:
            derivation: of the log or the run.
            until_ns: time until which it is known.
            finished: whether nothing follows.
            given: see `run_given`.
        """
        return cls(
            until_ns=until_ns,
            finished=finished,
            stretches=derivation.book.stretches,
            of_fluent=derivation.book.of_fluent,
            happenings=derivation.book.happenings,
            tasks=derivation.tasks.tasks(until_ns),
            beliefs=derivation.beliefs.columns,
            believed=derivation.beliefs.about,
            pose_errors=derivation.errors.found,
            recorded=derivation.recorded,
            timeline=derivation.timeline,
            pieces=derivation.pieces,
            expects=_expects_of(given),
            unclear=derivation.unclear,
        )

    def tables(
        self,
        run: Path,
        states_at: Callable[[Place], States],
        layout: Layout,
        models: tuple[str, ...],
    ) -> Tables:
        """Make the tables.

        Args:
            run: folder of the run.
            states_at: returns the states that are kept together at a place.
            layout: of the scene.
            models: their names.
        """
        beliefs = BeliefList(self.beliefs, self.until_ns)
        occasions = OccasionList(self.stretches, self.of_fluent, self.until_ns)
        events = EventList(self.happenings, self.until_ns)
        known = Interval(self.timeline.time(0), self.until_ns + 1)
        unseen = Unseen(layout, events, known, self.unclear)
        errors = ErrorList(
            beliefs, occasions, self.recorded, self.pose_errors, self.until_ns, unseen
        )
        return Tables(
            episode=run.resolve().name,
            layout=layout,
            start_ns=self.timeline.time(0),
            known_until_ns=self.until_ns,
            finished=self.finished,
            occasions=occasions,
            events=events,
            tasks=self.tasks,
            beliefs=beliefs,
            belief_errors=errors,
            recorded=self.recorded,
            believed=self.believed,
            poses=LogPoses(states_at, self.pieces, self.timeline, layout, models),
            expects=self.expects,
            unseen=unseen,
        )


def _expects_of(given: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """What the scenario says that operations may do; nothing of logs that do not hold it."""
    found = (given.get("scenario") or {}).get("expects") or {}
    return {operation: tuple(events) for operation, events in found.items()}
