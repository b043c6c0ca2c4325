"""Takes, losses and drops of hands, and touches of links and carried objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hetwin_core.ensemble.concern_words import DROPPED
from hetwin_core.ensemble.conductor.reporting.concerns import SEVERITY
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.episodes.flaws.flaw import Facts
from hetwin_core.episodes.flaws.moves import RELEASE_NS, SECOND, Move
from hetwin_core.episodes.tables.rows import BORNE, DERIVED, Happening, Interval, Occasion, Task

_HANDOVER_NS = 300_000_000
"""Maximum interruption of a hold that passes between two hands, or is regripped [ns]."""
FALL_M = 0.05
"""Minimum height of a fall that counts as a drop [m]."""
_FALL_SPEED = 0.15
"""Minimum downward speed of a falling object [m/s]; a hand sets objects down more slowly."""
_SAME_TAKE_NS = 2_000_000_000
"""Maximum time between a `pick_up` event and a recorded hold of the same object [ns]."""


@dataclass(frozen=True, slots=True)
class WrongTake:
    """A hand takes an object that is not the one of its task.

    Attributes:
        object: the object that it takes.
        hand: the hand.
        meant: the objects of its tasks.
        task: the task.
        span: from the start of the hold to the lift, if there is one.
        grip: the hold; None if only an event reports it.
        event: the event; None if there is a hold.
    """

    object: str
    hand: str
    meant: tuple[str, ...]
    task: Task
    span: Interval
    grip: Occasion | None = None
    event: Happening | None = None

    @property
    def evidence(self) -> tuple[Happening | Occasion, ...]:
        """The supporting rows."""
        return tuple(row for row in (self.grip, self.event) if row is not None)


@dataclass(frozen=True, slots=True)
class Drop:
    """An object falls from a hand.

    Attributes:
        object: the falling object.
        hand: the hand that held it.
        height: height of the fall [m].
        by_itself: whether the program had not released it, according to the hand's observer.
        span: from the end of the hold to the end of the fall.
        begin_ns: reported time of the release.
        row: the supporting row.
    """

    object: str
    hand: str
    height: float
    by_itself: bool
    span: Interval
    begin_ns: int
    row: Happening | Occasion

    @property
    def evidence(self) -> tuple[Happening | Occasion]:
        """The supporting row."""
        return (self.row,)


def lost(facts: Facts) -> Iterator[Occasion]:
    """Yield the holds that ended although no task may release the object."""
    for grip in facts.grips:
        time_ns = grip.span.to_ns
        if not grip.ended or time_ns >= facts.tables.known_until_ns - _HANDOVER_NS:
            continue
        around_end = Interval(time_ns - _HANDOVER_NS, time_ns + _HANDOVER_NS)
        others = (row for row in facts.during("held", grip.a, around_end) if row.a == grip.a)
        if any(row.row != grip.row and row.span.to_ns > time_ns for row in others):
            continue
        tasks = facts.expectations.near(time_ns)
        if tasks and not any(facts.expectations.may(task, "released") for task in tasks):
            yield grip


def dropped(facts: Facts, moves: Iterable[Move]) -> Iterator[Drop]:
    """Yield the unintended drops: reported by the hand's observer, or visible in the states."""
    known = [drop for event in facts.events(DROPPED) if (drop := _reported_drop(facts, event))]
    known = [drop for drop in known if drop.by_itself or _is_unintended(facts, drop, "released")]
    yield from known
    for drop in _falls(facts, moves):
        alike = [t for t in known if (t.object, t.hand) == (drop.object, drop.hand)]
        is_known = any(abs(t.span.from_ns - drop.span.from_ns) <= SECOND for t in alike)
        if not is_known and _is_unintended(facts, drop):
            yield drop


def _reported_drop(facts: Facts, event: Happening) -> Drop | None:
    """Return the drop that an event reports; None for an event with fewer arguments."""
    given = event.arguments
    begin, height = given.get("from"), given.get("height")
    if not isinstance(begin, float) or not isinstance(height, float):
        return None
    name, hand = str(given.get("object")), str(given.get("hand"))
    begin_ns = round(begin * 1e9)
    ends = [g.span.to_ns for g in facts.grips if (g.a, g.b) == (name, hand)]
    close = [time_ns for time_ns in ends if abs(time_ns - begin_ns) <= _HANDOVER_NS]
    span = Interval(min(close, default=begin_ns), event.time_ns)
    return Drop(name, hand, height, SEVERITY in given, span, begin_ns, event)


def _falls(facts: Facts, moves: Iterable[Move]) -> Iterator[Drop]:
    """Yield objects that fell freely by more than `FALL_M` on release."""
    for move in moves:
        grip = move.grip
        if grip is None or not move.in_motion:
            continue
        around = Interval(grip.span.to_ns - _HANDOVER_NS, move.span.to_ns)
        rows = [*facts.during("contact", move.object, around)]
        of_hand = [row for row in rows if {row.a, row.b} & facts.bodies.links]
        end_times = (r.span.to_ns for r in of_hand if r.span.from_ns < grip.span.to_ns)
        begin = min(max(end_times, default=grip.span.to_ns), move.span.to_ns)
        landing_times = (
            r.span.from_ns for r in rows if r not in of_hand
        )  # or it stood there already
        end = max(min(landing_times, default=move.span.to_ns), begin)
        if end == begin:
            continue  # it stood on something when the fingers parted
        begin, height = _fall(facts, move.object, Interval(begin, end))
        if height > FALL_M:
            yield Drop(move.object, grip.b, height, False, Interval(begin, end), begin, grip)


def _fall(facts: Facts, name: str, free: Interval) -> tuple[int, float]:
    """Return the start of a fall [ns], which may still be between the fingers, and its height [m]."""
    before = Interval(free.from_ns - _HANDOVER_NS, free.to_ns + 1)
    times, poses = facts.tables.poses.during(name, before)
    slow = np.flatnonzero((times <= free.from_ns) & (poses[:, 9] > -_FALL_SPEED))
    row = int(slow[-1]) if len(slow) else 0
    return int(times[row]), float(poses[row, 2] - poses[-1, 2])


def _is_unintended(facts: Facts, drop: Drop, *other_events: str) -> bool:
    """Whether no task may drop the object, or cause one of some further events."""
    arguments = {"object": drop.object, "hand": drop.hand}
    tasks = facts.expectations.near(drop.begin_ns)
    may = any(facts.expectations.may(task, name) for task in tasks for name in other_events)
    return not may and facts.expectations.expects(DROPPED, arguments, drop.begin_ns) is False


def wrongly_taken(facts: Facts) -> Iterator[WrongTake]:
    """Yield objects that hands took while their tasks were about other objects."""
    for grip in facts.grips:
        if grip.span.from_ns > facts.tables.start_ns:
            meant = _intended_objects(facts, grip.a, grip.b, grip.span.from_ns)
            if meant is not None:
                yield WrongTake(grip.a, grip.b, *meant, _lift_span(facts, grip), grip)
    for event in facts.events("pick_up"):
        name, hand = (str(event.arguments.get(key) or "") for key in ("object", "hand"))
        around = Interval(event.time_ns - _SAME_TAKE_NS, event.time_ns + _SAME_TAKE_NS)
        if event.source == DERIVED and not any(facts.during("held", name, around)):
            meant = _intended_objects(facts, name, hand, event.time_ns)
            if meant is not None:
                yield WrongTake(
                    name, hand, *meant, Interval(event.time_ns, event.time_ns), None, event
                )


def _lift_span(facts: Facts, grip: Occasion) -> Interval:
    lifts = facts.events("picked_up", "pick_up", about=grip.a)
    times = [e.time_ns for e in lifts if grip.span.from_ns <= e.time_ns <= grip.span.to_ns]
    return Interval(grip.span.from_ns, min(times, default=grip.span.from_ns))


def _intended_objects(
    facts: Facts, name: str, hand: str, time_ns: int
) -> tuple[tuple[str, ...], Task] | None:
    """Return the objects of a hand's task, and the task, if this object is not among them; else None."""
    tasks = facts.expectations.active(time_ns, 0, _HANDOVER_NS)
    if any(name in facts.named.entities(task) for task in tasks):
        return None
    for task in facts.expectations.innermost(time_ns) or facts.expectations.near(time_ns):
        about = facts.named.role(task, "object")
        meant = tuple(item for item in about if facts.bodies.is_movable(item))
        hands = facts.named.role(task, "hand")
        if meant and (not hands or any(hand in facts.bodies.stands_for(item) for item in hands)):
            return meant, task
    return None


LIFTING_NS = 500_000_000
"""Maximum time for which an object may still touch its support after being lifted [ns]."""
APART_NS = SECOND
"""Maximum time between touches of one body that count as one [ns]."""


@dataclass(frozen=True, slots=True)
class Touch:
    """The robot, or its load, touches a body.

    Attributes:
        body: the touched body.
        by: the link, or the carried object.
        hand: the hand that carries the object; empty for a link.
        carried: objects that the robot carries meanwhile.
        span: from the first contact to the last.
        rows: rows of the contacts.
        event: the event that reports the touch, if there is no contact.
    """

    body: str
    by: str
    hand: str
    carried: tuple[str, ...]
    span: Interval
    rows: tuple[Occasion, ...] = ()
    event: Happening | None = None

    @property
    def evidence(self) -> tuple[Happening | Occasion, ...]:
        """The supporting rows."""
        return self.rows if self.event is None else (*self.rows, self.event)


class Touches:
    """Finds the unexpected touches of an episode.

    Args:
        facts: facts of the episode.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def all(self) -> list[Touch]:
        """All unexpected touches, by start time; successive touches of one body by one hand or robot are merged."""
        found: list[Touch] = []
        latest: dict[tuple[str, str], int] = {}
        for touch in sorted((*self._contacts(), *self._reported()), key=lambda touch: touch.span):
            key = touch.body, self._owner(touch.hand or touch.by)
            at = latest.get(key)
            if at is not None and touch.span.from_ns <= found[at].span.to_ns + APART_NS:
                found[at] = _joined(found[at], touch)
            else:
                latest[key] = len(found)
                found.append(touch)
        return found

    def _contacts(self) -> Iterator[Touch]:
        facts, links = self._facts, self._facts.bodies.links
        start_keys = {
            (event.time_ns, frozenset((event.arguments.get("a"), event.arguments.get("b"))))
            for event in facts.events("collision")
            if event.source == DERIVED
        }
        for row in facts.tables.occasions.find("contact"):
            if (row.span.from_ns, frozenset((row.a, row.b))) not in start_keys:
                continue  # it exists from the start
            if row.a in links or row.b in links:
                yield from self._link_touches(row)
            else:
                yield from self._load_touches(row)

    def _link_touches(self, row: Occasion) -> Iterator[Touch]:
        link, body = (row.a, row.b) if row.a in self._facts.bodies.links else (row.b, row.a)
        if self._facts.holder(body, row.span.from_ns) or self._is_held(body, row.span.from_ns):
            return
        if self._is_expected(link, body, row.span.from_ns):
            return
        yield Touch(body, link, "", self._carried(link, row.span.from_ns), row.span, (row,))

    def _is_held(self, body: str, time_ns: int) -> bool:
        """Whether a hand holds the body shortly before or after, and so explains the contact."""
        around = Interval(time_ns - RELEASE_NS, time_ns + RELEASE_NS)
        return any(row.a == body for row in self._facts.during("held", body, around))

    def _load_touches(self, row: Occasion) -> Iterator[Touch]:
        time_ns, facts = row.span.from_ns, self._facts
        for carried, body in ((row.a, row.b), (row.b, row.a)):
            grips = [g for g in facts.at("held", carried, time_ns) if g.a == carried]
            if not grips or facts.holder(body, time_ns):
                continue
            grip = grips[0]
            if self._is_being_lifted(carried, body, grip, time_ns) or self._is_set_down(row, grip):
                continue
            if not self._is_expected(carried, body, time_ns):
                yield Touch(body, carried, grip.b, (carried,), row.span, (row,))

    def _is_being_lifted(self, carried: str, body: str, grip: Occasion, time_ns: int) -> bool:
        """Whether the carried object has just been lifted from this body."""
        if time_ns < grip.span.from_ns + LIFTING_NS:
            return True
        before = Interval(time_ns - LIFTING_NS, time_ns - 1)
        for row in self._facts.during("contact", carried, before):
            if body in (row.a, row.b) and row.span.from_ns < grip.span.from_ns + LIFTING_NS:
                return True
        return False

    def _is_set_down(self, row: Occasion, grip: Occasion) -> bool:
        """Whether the hand sets the object down on the body: the contact lasts until the release."""
        lasts_until_release = row.span.to_ns >= grip.span.to_ns - RELEASE_NS
        other = row.b if row.a == grip.a else row.a
        around_release = Interval(grip.span.to_ns - RELEASE_NS, grip.span.to_ns + SECOND)
        rows = self._facts.during(BORNE, grip.a, around_release)
        return lasts_until_release and any(on.a == grip.a and on.b == other for on in rows)

    def _reported(self) -> Iterator[Touch]:
        """Yield touches of links with static bodies and with each other, as reported by `robot_health`."""
        for event in self._facts.events("link_touches"):
            link, body = (str(event.arguments.get(key, "")) for key in ("link", "partner"))
            if "from" in event.arguments or event.arguments.get("severity") == "note":
                continue  # it reports an end or a deterioration, or is negligible
            if self._is_expected(link, body, event.time_ns):
                continue
            span = Interval(event.time_ns, event.time_ns)
            carried = self._carried(link, event.time_ns)
            yield Touch(body, link, "", carried, span, (), event)

    def _is_expected(self, item: str, other: str, time_ns: int) -> bool:
        """Whether the touch is expected, or there is no task to decide it."""
        found = self._facts.expectations.expects("collision", {"a": item, "b": other}, time_ns)
        return found is None or found

    def _carried(self, link: str, time_ns: int) -> tuple[str, ...]:
        """Return the objects that a link's robot carries."""
        owner = self._owner(link)
        hands = [h for h in self._facts.bodies.hands if self._owner(h) == owner]
        return tuple(name for hand in hands for name in self._facts.carried_by(hand, time_ns))

    def _owner(self, name: str) -> str:
        return self._facts.bodies.owner(name) or name

    def is_static(self, touch: Touch) -> bool:
        """Whether the touched body never moves."""
        return self._facts.bodies.kind(touch.body) is EntityKind.STATIC


def _joined(item: Touch, other: Touch) -> Touch:
    span = Interval(item.span.from_ns, max(item.span.to_ns, other.span.to_ns))
    return replace(item, span=span, rows=(*item.rows, *other.rows))
