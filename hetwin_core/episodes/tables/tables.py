"""All tables of one episode, and the intervals in which facts were not observed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hetwin_core.ensemble.conductor.reporting.coverage import (
    DECIDED_BY,
    CheckedInterval,
    Claim,
    DecidingClaim,
    checked_intervals,
)
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.episodes.tables.lists import BeliefList, EventList, OccasionList
from hetwin_core.episodes.tables.poses import LogPoses
from hetwin_core.episodes.tables.rows import (
    BORNE,
    BeliefError,
    Happening,
    Interval,
    Task,
)

Names = Collection[str] | None
"""Entities that an argument means; None: any."""

_STANDING = ("on", BORNE)
_TOUCHING = ("contact", "attached", "collision", "collision_end", "touched", "touch_ended")
_EVENTS: Mapping[str, DecidingClaim] = {
    **{
        name: DecidingClaim(Claim.GRIP, 1)
        for name in (
            *("picked_up", "pick_up", "grasped", "released", "lost", "slipped"),
            *("grip_closed", "grip_lost"),
        )
    },
    **{
        name: DecidingClaim(Claim.DROP, 0)
        for name in ("fell", "toppled", "flung", "left_the_world")
    },
    "in_container": DecidingClaim(Claim.CONTAINER, 0),
    "left_container": DecidingClaim(Claim.CONTAINER, 0),
    "put_down": DecidingClaim(Claim.SUPPORT, 0),
    "set_down": DecidingClaim(Claim.SUPPORT, 0),
}


class UnobservedInterval(NamedTuple):
    """An interval in which it was not observed whether something holds.

    Attributes:
        span: the interval.
        why: the reason.
    """

    span: Interval
    why: str


class Unseen:
    """Finds the intervals in which a fluent or an event was not observed, from the run's coverage.

    Args:
        layout: layout of the scene.
        events: events of the episode.
        known: interval of the whole episode, including its last moment.
        unknown_contacts: pairs of static bodies whose contact is unknown.
    """

    def __init__(
        self,
        layout: Layout,
        events: Collection[Happening],
        known: Interval,
        unknown_contacts: Collection[tuple[str, str]] = (),
    ) -> None:
        self._layout, self._events, self._known = layout, events, known
        self._unknown_contacts = unknown_contacts
        standing = (EntityKind.OBJECT, EntityKind.STATIC)
        self._standing = frozenset(e.name for kind in standing for e in layout.of_kind(kind))

    @cached_property
    def stretches(self) -> Mapping[tuple[Claim, str], tuple[CheckedInterval, ...]]:
        """Intervals in which each claim was checked or not."""
        return checked_intervals(self._events, *self._known)

    def of(
        self, fluent: str, first: Names = None, second: Names = None
    ) -> list[UnobservedInterval]:
        """Return the intervals in which it was not observed whether a fluent is false."""
        found = self._found(fluent, DECIDED_BY.get(fluent), (first, second))
        if fluent in (*_STANDING, "contact"):
            found += self._of_shapes(fluent, first, second)
        return found

    def _of_shapes(self, fluent: str, first: Names, second: Names) -> Iterator[UnobservedInterval]:
        """Intervals for unobservable bodies: links on a support, and static bodies without simple shapes."""
        if fluent in _STANDING and first is not None and not self._standing.intersection(first):
            yield UnobservedInterval(self._known, say("question.no_supports", of=sorted(first)[0]))
            return
        orders = [(first, second), (second, first)] if fluent == "contact" else [(first, second)]
        for a, b in self._unknown_contacts:
            if any((x is None or a in x) and (y is None or b in y) for x, y in orders):
                yield UnobservedInterval(self._known, say("question.no_shapes", of=a, other=b))
                return

    def of_event(
        self, event: str, first: Names = None, second: Names = None
    ) -> list[UnobservedInterval]:
        """Return the intervals in which an event may have happened unobserved."""
        decided = DECIDED_BY.get(event) if event in ("connected", "dropped") else _EVENTS.get(event)
        return self._found(event, decided, (first, second))

    def _found(
        self, name: str, decided: DecidingClaim | None, arguments: tuple[Names, Names]
    ) -> list[UnobservedInterval]:
        if not self.stretches:
            return []
        if name in _TOUCHING:
            return list(self._touches(arguments))
        if decided is None:
            return []
        names = arguments[decided.argument] if decided.argument >= 0 else None
        return [
            UnobservedInterval(Interval(stretch.from_ns, stretch.to_ns), stretch.why)
            for (claim, subject), each in self.stretches.items()
            if claim is decided.claim and (names is None or subject in names)
            for stretch in each
            if not stretch.checked and stretch.to_ns > stretch.from_ns
        ]

    def _touches(self, arguments: tuple[Names, Names]) -> Iterator[UnobservedInterval]:
        """Intervals in which links without shapes are not checked for touches."""
        for (claim, robot), each in self.stretches.items():
            if claim is not Claim.TOUCH:
                continue
            links = {e.name for e in self._layout.of_kind(EntityKind.LINK) if e.owner == robot}
            for stretch in each:
                unchecked_links = links.difference(stretch.of)
                is_affected = any(
                    names is None or unchecked_links.intersection(names) for names in arguments
                )
                if not stretch.checked and is_affected and stretch.to_ns > stretch.from_ns:
                    yield UnobservedInterval(Interval(stretch.from_ns, stretch.to_ns), stretch.why)


@dataclass(frozen=True)
class Tables:
    """The tables of one episode.

    Attributes:
        episode: name of its folder.
        layout: entities and attributes.
        start_ns: the first time of the log.
        known_until_ns: the last time of the log, which may still grow.
        finished: whether the log is complete.
        occasions: states of the world.
        events: by time; equal times in the order in which they were handled.
        tasks: by start time.
        beliefs: beliefs of the robot.
        belief_errors: errors of these beliefs.
        recorded: the fluents about the world that this log records; any other is unknown, not false.
        believed: the (fluent, entity) pairs that the robot has reported anything about; an entity "" means all.
        poses: poses of all entities.
        expects: expectations of the scenario: operation -> patterns of events that it may cause.
        unseen: finds the intervals in which something was not observed.
    """

    episode: str
    layout: Layout
    start_ns: int
    known_until_ns: int
    finished: bool
    occasions: OccasionList
    events: EventList
    tasks: Sequence[Task]
    beliefs: BeliefList
    belief_errors: Sequence[BeliefError]
    recorded: frozenset[str]
    believed: frozenset[tuple[str, str]]
    poses: LogPoses
    expects: Mapping[str, tuple[str, ...]]
    unseen: Unseen
