"""Incorrect beliefs that last too long, overlooked objects, and spills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hetwin_core.episodes.flaws.flaw import Facts
from hetwin_core.episodes.tables.rows import (
    Belief,
    BeliefError,
    Happening,
    Interval,
    Occasion,
    Status,
    Task,
)

MIN_ERROR_NS = 400_000_000
"""Minimum duration of an incorrect belief that is a flaw [ns]."""
MIN_PERIODS = 2.5
"""Minimum duration of a stale pose that is a flaw, in usual periods of its messages."""
_PERIOD_WINDOW_NS = 10_000_000_000
"""Time before and after an error over which the usual period of messages is measured [ns]."""
_MIN_MESSAGES = 6
"""Minimum number of messages for a usual period."""
_MESSAGE_DELAY_NS = 20_000_000
"""Maximum time from a message to the start of an error that the message itself contains [ns]."""
_JUMP = 0.01
"""Minimum difference of changed poses [m, and difference of quaternion components]."""
_MAX_EFFECT_DELAY_NS = 3_000_000_000
"""Maximum time from a change of the world to the start of an error that it may have caused [ns]."""
_PERCEPT = "percept"
_LOC, _VISIBLE = "loc", "visible"
_MISTAKEN_M = 0.03
"""Maximum distance of an object from a perceived position at which it was mistaken for another one [m]."""


@dataclass(frozen=True, slots=True)
class WrongBelief:
    """An incorrect belief.

    Attributes:
        error: the supporting row.
        formed_ns: time of the robot's last information about it before the error.
        stale: whether it was correct then, and the world has changed since.
        instead: the object that is really at the perceived position; empty if there is none.
    """

    error: BeliefError
    formed_ns: int
    stale: bool
    instead: str

    @property
    def evidence(self) -> tuple[BeliefError]:
        """The supporting row."""
        return (self.error,)


class WrongBeliefs:
    """Finds the incorrect beliefs of an episode.

    Args:
        facts: facts of the episode.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._tables = facts.tables

    def all(self) -> Iterator[WrongBelief]:
        """Yield the beliefs that were incorrect for too long, in the order of their rows."""
        for error in self._tables.belief_errors:
            duration_ns = error.span.to_ns - error.span.from_ns
            if duration_ns <= MIN_ERROR_NS or self._is_unseen(error):
                continue
            found = self._classify(error)
            if not (found.stale and self._is_late(error)):
                yield found

    def _is_unseen(self, error: BeliefError) -> bool:
        """Whether the belief is merely that something is not visible, which only matters to tasks that look for it."""
        if error.fluent != _VISIBLE:
            return False
        rows = self._messages(error, Interval(error.span.from_ns, error.span.from_ns + 1))
        return bool(rows) and not rows[-1].holds

    def _is_late(self, error: BeliefError) -> bool:
        """Whether the error ends with the robot's next report: within the usual period, or at the end of its task."""
        if error.fluent == _LOC:
            return error.span.to_ns - error.span.from_ns <= MIN_PERIODS * self._period(error)
        tasks = self._facts.expectations.innermost(error.span.from_ns)
        end_ns = max((task.span.to_ns for task in tasks), default=0)
        return error.span.to_ns <= end_ns + MIN_ERROR_NS

    def _classify(self, error: BeliefError) -> WrongBelief:
        begin = error.span.from_ns
        rows = self._messages(error, Interval(begin, begin + 1))
        if not rows:
            return WrongBelief(error, error.believed_ns, False, "")
        newest = rows[-1]
        stale = not self._is_from_message(error, newest)
        # a stale percept was of the right object, even if another one is there now
        instead = "" if stale else self._object_at(error, newest)
        return WrongBelief(error, newest.span.from_ns, stale, instead)

    def _is_from_message(self, error: BeliefError, newest: Belief) -> bool:
        """Whether a belief became incorrect by a message instead of a change of the world.

        This is the case if the first message during the error differs from the one before; or if it is the same,
        but the world had not moved.
        """
        begin = error.span.from_ns
        rows = self._messages(error, Interval(begin - _MESSAGE_DELAY_NS, error.span.to_ns))
        first = next(
            (r for r in rows if begin - _MESSAGE_DELAY_NS <= r.span.from_ns < error.span.to_ns),
            None,
        )
        if first is None:
            return False
        before = self._messages(error, Interval(first.span.from_ns - 1, first.span.from_ns))
        if not before or before[0].span.from_ns >= first.span.from_ns:
            return True
        if first.pose is None or before[0].pose is None:
            return first.holds != before[0].holds
        return _change(first.pose, before[0].pose) > _JUMP or not self._moved(newest.a, begin)

    def _moved(self, name: str, time_ns: int) -> bool:
        """Whether something moved shortly before a time; True if unknown."""
        if not (self._facts.known("moving") and self._facts.bodies.is_movable(name)):
            return True
        lately = Interval(time_ns - _MAX_EFFECT_DELAY_NS, time_ns)
        return any(self._facts.during("moving", name, lately))

    def _object_at(self, error: BeliefError, row: Belief) -> str:
        """Return another object that is at the perceived position; empty if there is none."""
        if error.fluent != _LOC or row.pose is None or row.origin != _PERCEPT:
            return ""
        for name in self._objects:
            if name == error.a:
                continue
            try:
                pose = self._tables.poses.at(name, error.span.from_ns)[1]
            except KeyError:
                continue
            if float(np.linalg.norm(pose[:3] - np.array(row.pose[:3]))) < _MISTAKEN_M:
                return name
        return ""

    def _period(self, error: BeliefError) -> float:
        """Return the usual period of messages about the same belief [ns]; 0 if there are too few."""
        span = Interval(
            error.span.from_ns - _PERIOD_WINDOW_NS, error.span.to_ns + _PERIOD_WINDOW_NS
        )
        times = [row.span.from_ns for row in self._messages(error, span)]
        return float(np.median(np.diff(times))) if len(times) >= _MIN_MESSAGES else 0.0

    def _messages(self, error: BeliefError, span: Interval) -> Sequence[Belief]:
        """Return the messages about the same belief in an interval, and the one before."""
        rows = self._tables.beliefs.find(error.fluent, error.a, error.b or None, span)
        return [row for row in rows if row.b == error.b]

    @cached_property
    def _objects(self) -> list[str]:
        entities = self._tables.layout.entities
        return [e.name for e in entities if self._facts.bodies.is_movable(e.name)]


def _change(one: Sequence[float], other: Sequence[float]) -> float:
    return float(np.abs(np.array(one) - np.array(other)).max())


PERCEPTION_OPERATIONS = frozenset(
    {
        *("look", "look_at", "look_for", "perceive", "detect"),
        *("observe", "search", "find", "scan", "inspect"),
    }
)
"""Operations in which the robot looks."""
MIN_VISIBLE_NS = 300_000_000
"""Minimum visibility of an object that must be perceived [ns]."""
LATE_NS = 500_000_000
"""Maximum delay of a percept after the end of its task [ns]."""
_MAX_MISSED = 0.1
"""Maximum share of a poured fluid that may miss its vessel."""
_FLIGHT_NS = 1_000_000_000
"""Maximum time of flight of poured particles [ns]."""


@dataclass(frozen=True, slots=True)
class OverlookedThing:
    """An object that was visible while the robot looked, but was not perceived."""

    object: str
    task: Task
    visible: Occasion

    @property
    def span(self) -> Interval:
        """Interval of its visibility during the task."""
        seen, task = self.visible.span, self.task.span
        return Interval(max(seen.from_ns, task.from_ns), min(seen.to_ns, task.to_ns))

    @property
    def evidence(self) -> tuple[Occasion, Task]:
        """The supporting rows."""
        return self.visible, self.task


@dataclass(frozen=True, slots=True)
class Spill:
    """Particles of a fluid that left their vessel unintentionally, or did not reach another one.

    Attributes:
        vessel: the vessel that they left.
        count: number of lost particles.
        task: the task in progress; None without one.
        events: the events that report the spill.
    """

    vessel: str
    count: int
    task: Task | None
    events: tuple[Happening, ...]

    @property
    def span(self) -> Interval:
        """From the first of the events to the last."""
        return Interval(self.events[0].time_ns, self.events[-1].time_ns)

    @property
    def evidence(self) -> tuple[Happening, Happening]:
        """The first and the last of the events."""
        return self.events[0], self.events[-1]


def overlooked(facts: Facts) -> Iterator[OverlookedThing]:
    """Yield objects that were visible while the robot looked for them, or for anything, but were not perceived."""
    if not facts.known("visible"):
        return
    for task in facts.tables.tasks:
        if task.operation not in PERCEPTION_OPERATIONS or task.status is Status.CREATED:
            continue
        wanted = facts.named.objects(task)
        perceived = set(_perceived(facts, task))
        for row in facts.tables.occasions.find("visible"):
            visible_ns = min(row.span.to_ns, task.span.to_ns) - max(
                row.span.from_ns, task.span.from_ns
            )
            is_meant = row.a in wanted if wanted else facts.bodies.is_movable(row.a)
            if visible_ns >= MIN_VISIBLE_NS and is_meant and row.a not in perceived:
                yield OverlookedThing(row.a, task, row)


def _perceived(facts: Facts, task: Task) -> Iterator[str]:
    for event in facts.events("perceived"):
        if task.span.from_ns <= event.time_ns <= task.span.to_ns + LATE_NS:
            yield str(event.arguments.get("object"))
    span = Interval(task.span.from_ns, task.span.to_ns + LATE_NS)
    for belief in facts.tables.beliefs.find("visible", during=span):
        if belief.holds:
            yield belief.a


def spilled(facts: Facts) -> Iterator[Spill]:
    """Yield spills in tasks that do not pour, and fluids that were poured beside their vessels."""
    for vessel, events in _spills(facts):
        count, first = sum(map(_count, events)), events[0]
        task = next(iter(facts.expectations.near(first.time_ns)), None)
        if facts.expectations.expects("spilled", {"cup": vessel}, first.time_ns):
            count = _missed_count(facts, vessel, task, events)
        if count > 0:
            yield Spill(vessel, count, task, tuple(events))


def _spills(facts: Facts) -> Iterator[tuple[str, list[Happening]]]:
    """Yield vessels with the events of one spill each."""
    pending: dict[str, list[Happening]] = {}
    for event in facts.events("spilled"):
        vessel = str(event.arguments.get("cup", ""))
        events = pending.get(vessel, [])
        if events and event.time_ns > events[-1].time_ns + _FLIGHT_NS:
            yield vessel, events
            events = []
        pending[vessel] = [*events, event]
    yield from pending.items()


def _missed_count(facts: Facts, vessel: str, task: Task | None, events: list[Happening]) -> int:
    """Return the number of poured particles that did not arrive; 0 if nearly all did, or if unknown."""
    caught = facts.events("caught")
    receivers = {str(event.arguments.get("cup")) for event in caught}
    receivers |= set(() if task is None else facts.named.role(task, "target"))
    if not receivers or vessel in receivers:
        return 0  # particles that miss a vessel are counted at their source
    first, last = events[0].time_ns, events[-1].time_ns + _FLIGHT_NS
    arrived = sum(_count(event) for event in caught if first <= event.time_ns <= last)
    total = sum(map(_count, events))
    return total - arrived if total - arrived > _MAX_MISSED * total + 1 else 0


def _count(event: Happening) -> int:
    count = event.arguments.get("count", 1)
    return int(count) if isinstance(count, int | float) else 1
