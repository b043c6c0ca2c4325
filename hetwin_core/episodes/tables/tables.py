"""All tables of one episode, and where it was not seen whether something holds."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hetwin_core.ensemble.conductor.reporting.coverage import (
    DECIDED_BY,
    Claim,
    Decision,
    Stretch,
    stretches_of,
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
"""Entities that an argument stands for; None: any."""

_STANDING = ("on", BORNE)
_TOUCHING = ("contact", "attached", "collision", "collision_end", "touched", "touch_ended")
_EVENTS: Mapping[str, Decision] = {
    **{
        name: Decision(Claim.GRIP, 1)
        for name in (
            *("picked_up", "pick_up", "grasped", "released", "lost", "slipped"),
            *("grip_closed", "grip_lost"),
        )
    },
    **{name: Decision(Claim.DROP, 0) for name in ("fell", "toppled", "flung", "left_the_world")},
    "in_container": Decision(Claim.CONTAINER, 0),
    "left_container": Decision(Claim.CONTAINER, 0),
    "put_down": Decision(Claim.SUPPORT, 0),
    "set_down": Decision(Claim.SUPPORT, 0),
}


class Blind(NamedTuple):
    """A time in which nobody saw whether something holds.

    Attributes:
        span: when.
        why: why not.
    """

    span: Interval
    why: str


class Unseen:
    """Finds where a fluent or an event was not seen, by the run's coverage.

    Args:
        layout: of the scene.
        events: of the episode.
        known: all of the episode, its last moment included.
        unclear: pairs of bodies that never move of which it is not known whether they touch.
    """

    def __init__(
        self,
        layout: Layout,
        events: Collection[Happening],
        known: Interval,
        unclear: Collection[tuple[str, str]] = (),
    ) -> None:
        self._layout, self._events, self._known = layout, events, known
        self._unclear = unclear
        standing = (EntityKind.OBJECT, EntityKind.STATIC)
        self._standing = frozenset(e.name for kind in standing for e in layout.of_kind(kind))

    @cached_property
    def stretches(self) -> Mapping[tuple[Claim, str], tuple[Stretch, ...]]:
        """When each claim was checked, and when not."""
        return stretches_of(self._events, *self._known)

    def of(self, fluent: str, first: Names = None, second: Names = None) -> list[Blind]:
        """Return where it was not seen whether a fluent is false."""
        found = self._found(fluent, DECIDED_BY.get(fluent), (first, second))
        if fluent in (*_STANDING, "contact"):
            found += self._of_shapes(fluent, first, second)
        return found

    def _of_shapes(self, fluent: str, first: Names, second: Names) -> Iterator[Blind]:
        """About unobserved bodies: links that stand on something, and bodies without plain shapes that never move."""
        if fluent in _STANDING and first is not None and not self._standing.intersection(first):
            yield Blind(self._known, say("question.no_supports", of=sorted(first)[0]))
            return
        orders = [(first, second), (second, first)] if fluent == "contact" else [(first, second)]
        for a, b in self._unclear:
            if any((x is None or a in x) and (y is None or b in y) for x, y in orders):
                yield Blind(self._known, say("question.no_shapes", of=a, other=b))
                return

    def of_event(self, event: str, first: Names = None, second: Names = None) -> list[Blind]:
        """Return where an event may have happened that nobody saw."""
        decided = DECIDED_BY.get(event) if event in ("connected", "dropped") else _EVENTS.get(event)
        return self._found(event, decided, (first, second))

    def _found(
        self, name: str, decided: Decision | None, arguments: tuple[Names, Names]
    ) -> list[Blind]:
        if not self.stretches:
            return []
        if name in _TOUCHING:
            return list(self._touches(arguments))
        if decided is None:
            return []
        names = arguments[decided.argument] if decided.argument >= 0 else None
        return [
            Blind(Interval(stretch.from_ns, stretch.to_ns), stretch.why)
            for (claim, subject), each in self.stretches.items()
            if claim is decided.claim and (names is None or subject in names)
            for stretch in each
            if not stretch.checked and stretch.to_ns > stretch.from_ns
        ]

    def _touches(self, arguments: tuple[Names, Names]) -> Iterator[Blind]:
        """Where links have no shapes: their touches cannot be seen."""
        for (claim, robot), each in self.stretches.items():
            if claim is not Claim.TOUCH:
                continue
            links = {e.name for e in self._layout.of_kind(EntityKind.LINK) if e.owner == robot}
            for stretch in each:
                bare = links.difference(stretch.of)
                meant = any(names is None or bare.intersection(names) for names in arguments)
                if not stretch.checked and meant and stretch.to_ns > stretch.from_ns:
                    yield Blind(Interval(stretch.from_ns, stretch.to_ns), stretch.why)


@dataclass(frozen=True)
class Tables:
    """One episode.

    Attributes:
        episode: name of its folder.
        layout: entities and attributes.
        start_ns: the first time of the log.
        known_until_ns: the last time of it, so far.
        finished: whether the log is complete.
        occasions: states of the world.
        events: by time; equal times in the order in which they were handled.
        tasks: by begin.
        beliefs: of the robot.
        belief_errors: where that was wrong.
        recorded: the fluents about the world that this log can know; any other is unknown, not false.
        believed: the (fluent, entity) pairs that the robot has reported anything about, an entity of "" for all.
        poses: of all entities.
        expects: of the scenario: operation -> expressions of events that may happen in it.
        unseen: where it was not seen whether something holds.
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
