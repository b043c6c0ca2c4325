"""Wrong beliefs that last too long, overlooked objects, and spills."""

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

LEAST_NS = 400_000_000
"""A belief may be wrong for so long while it follows the world [ns] ..."""
PERIODS = 2.5
"""... and for so many of the usual times between two messages."""
_USUAL_NS = 10_000_000_000
"""Over so long before and after that the usual time between two messages is taken [ns]."""
_FEW = 6
"""Fewer messages have no usual time between them."""
_AT_ONCE_NS = 20_000_000
"""A belief that is wrong so soon after its message was wrong at once [ns]."""
_JUMP = 0.01
"""Poses that differ by less are the same [m, and as a difference of quaternions]."""
_LATELY_NS = 3_000_000_000
"""Changes of the world so long before a belief went wrong may have made it so [ns]."""
_PERCEPT = "percept"
_LOC, _VISIBLE = "loc", "visible"
_HERE = 0.03
"""Something that is so near to where something else was perceived was taken for it [m]."""


@dataclass(frozen=True, slots=True)
class WrongBelief:
    """A belief that was wrong.

    Attributes:
        error: the supporting row.
        formed_ns: when the robot last learned of it before it went wrong.
        stale: whether it was right then, and the world moved away from it.
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
    """Finds the wrong beliefs of an episode.

    Args:
        facts: of the episode.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._tables = facts.tables

    def all(self) -> Iterator[WrongBelief]:
        """Yield the beliefs that were wrong for too long, by their rows."""
        for error in self._tables.belief_errors:
            lasted = error.span.to_ns - error.span.from_ns
            if lasted <= LEAST_NS or self._is_unseen(error):
                continue
            found = self._judged(error)
            if not (found.stale and self._is_late(error)):
                yield found

    def _is_unseen(self, error: BeliefError) -> bool:
        """Whether the belief is merely that something is not visible: a flaw only during a task that looks for it."""
        if error.fluent != _VISIBLE:
            return False
        rows = self._told(error, Interval(error.span.from_ns, error.span.from_ns + 1))
        return bool(rows) and not rows[-1].holds

    def _is_late(self, error: BeliefError) -> bool:
        """Whether it only lasts until the robot's next report: as usual, or when its task is done."""
        if error.fluent == _LOC:
            return error.span.to_ns - error.span.from_ns <= PERIODS * self._period(error)
        tasks = self._facts.expectations.innermost(error.span.from_ns)
        done = max((task.span.to_ns for task in tasks), default=0)
        return error.span.to_ns <= done + LEAST_NS

    def _judged(self, error: BeliefError) -> WrongBelief:
        begin = error.span.from_ns
        rows = self._told(error, Interval(begin, begin + 1))
        if not rows:
            return WrongBelief(error, error.believed_ns, False, "")
        newest = rows[-1]
        stale = not self._by_itself(error, newest)
        # a percept of an object at its place is not taken for the one that is left there
        instead = "" if stale else self._instead(error, newest)
        return WrongBelief(error, newest.span.from_ns, stale, instead)

    def _by_itself(self, error: BeliefError, newest: Belief) -> bool:
        """Whether a belief went wrong by a message, and not by a change of the world.

        That is, the first message while it is wrong differs from the one before; or it is the same, and
        the world had not moved.
        """
        begin = error.span.from_ns
        rows = self._told(error, Interval(begin - _AT_ONCE_NS, error.span.to_ns))
        first = next(
            (r for r in rows if begin - _AT_ONCE_NS <= r.span.from_ns < error.span.to_ns), None
        )
        if first is None:
            return False
        before = self._told(error, Interval(first.span.from_ns - 1, first.span.from_ns))
        if not before or before[0].span.from_ns >= first.span.from_ns:
            return True
        if first.pose is None or before[0].pose is None:
            return first.holds != before[0].holds
        return _change(first.pose, before[0].pose) > _JUMP or not self._moved(newest.a, begin)

    def _moved(self, name: str, time_ns: int) -> bool:
        """Whether something moved not long before a time; True if that is not known."""
        if not (self._facts.known("moving") and self._facts.bodies.is_movable(name)):
            return True
        lately = Interval(time_ns - _LATELY_NS, time_ns)
        return any(self._facts.during("moving", name, lately))

    def _instead(self, error: BeliefError, row: Belief) -> str:
        """Another object that stands where something was perceived."""
        if error.fluent != _LOC or row.pose is None or row.origin != _PERCEPT:
            return ""
        for name in self._objects:
            if name == error.a:
                continue
            try:
                pose = self._tables.poses.at(name, error.span.from_ns)[1]
            except KeyError:
                continue
            if float(np.linalg.norm(pose[:3] - np.array(row.pose[:3]))) < _HERE:
                return name
        return ""

    def _period(self, error: BeliefError) -> float:
        """The usual time between two messages about the same [ns]; 0 if there are too few."""
        span = Interval(error.span.from_ns - _USUAL_NS, error.span.to_ns + _USUAL_NS)
        times = [row.span.from_ns for row in self._told(error, span)]
        return float(np.median(np.diff(times))) if len(times) >= _FEW else 0.0

    def _told(self, error: BeliefError, span: Interval) -> Sequence[Belief]:
        """The messages about the same in an interval, and the one before."""
        rows = self._tables.beliefs.find(error.fluent, error.a, error.b or None, span)
        return [row for row in rows if row.b == error.b]

    @cached_property
    def _objects(self) -> list[str]:
        entities = self._tables.layout.entities
        return [e.name for e in entities if self._facts.bodies.is_movable(e.name)]


def _change(one: Sequence[float], other: Sequence[float]) -> float:
    return float(np.abs(np.array(one) - np.array(other)).max())


LOOKING = frozenset(
    {
        *("look", "look_at", "look_for", "perceive", "detect"),
        *("observe", "search", "find", "scan", "inspect"),
    }
)
"""Operations in which the robot looks."""
SEEN_NS = 300_000_000
"""An object that is visible for less time may be missed [ns]."""
LATE_NS = 500_000_000
"""A percept may come so long after a task has ended [ns]."""
_LEFT_OVER = 0.1
"""Of a poured fluid, so large a share may miss its vessel."""
_FLIGHT_NS = 1_000_000_000
"""Poured particles arrive after at most so long [ns]."""


@dataclass(frozen=True, slots=True)
class OverlookedThing:
    """A thing was visible while the robot looked, and was not perceived."""

    object: str
    task: Task
    visible: Occasion

    @property
    def span(self) -> Interval:
        """When it was visible in the task."""
        seen, task = self.visible.span, self.task.span
        return Interval(max(seen.from_ns, task.from_ns), min(seen.to_ns, task.to_ns))

    @property
    def evidence(self) -> tuple[Occasion, Task]:
        """The supporting rows."""
        return self.visible, self.task


@dataclass(frozen=True, slots=True)
class Spill:
    """Particles of a fluid left their vessel and were not meant to, or did not arrive.

    Attributes:
        vessel: that they left.
        count: how many are lost.
        task: the task in which they did; None if none went on.
        events: that report it.
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
    """Yield objects that were visible while the robot looked for it, or for anything, and was not perceived."""
    if not facts.known("visible"):
        return
    for task in facts.tables.tasks:
        if task.operation not in LOOKING or task.status is Status.CREATED:
            continue
        wanted = facts.named.objects(task)
        perceived = set(_perceived(facts, task))
        for row in facts.tables.occasions.find("visible"):
            inside = min(row.span.to_ns, task.span.to_ns) - max(row.span.from_ns, task.span.from_ns)
            is_meant = row.a in wanted if wanted else facts.bodies.is_movable(row.a)
            if inside >= SEEN_NS and is_meant and row.a not in perceived:
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
    """Yield spills in tasks that do not pour, and fluids poured beside their vessels."""
    for vessel, events in _spills(facts):
        count, first = sum(map(_count, events)), events[0]
        task = next(iter(facts.expectations.near(first.time_ns)), None)
        if facts.expectations.expects("spilled", {"cup": vessel}, first.time_ns):
            count = _beside(facts, vessel, task, events)
        if count > 0:
            yield Spill(vessel, count, task, tuple(events))


def _spills(facts: Facts) -> Iterator[tuple[str, list[Happening]]]:
    """Yield vessels with the events of one spill each."""
    open_ones: dict[str, list[Happening]] = {}
    for event in facts.events("spilled"):
        vessel = str(event.arguments.get("cup", ""))
        events = open_ones.get(vessel, [])
        if events and event.time_ns > events[-1].time_ns + _FLIGHT_NS:
            yield vessel, events
            events = []
        open_ones[vessel] = [*events, event]
    yield from open_ones.items()


def _beside(facts: Facts, vessel: str, task: Task | None, events: list[Happening]) -> int:
    """How many poured particles did not arrive; 0 if nearly all did, or if unknown."""
    caught = facts.events("caught")
    receivers = {str(event.arguments.get("cup")) for event in caught}
    receivers |= set(() if task is None else facts.named.role(task, "target"))
    if not receivers or vessel in receivers:
        return 0  # particles that miss a vessel are judged at their source
    first, last = events[0].time_ns, events[-1].time_ns + _FLIGHT_NS
    arrived = sum(_count(event) for event in caught if first <= event.time_ns <= last)
    total = sum(map(_count, events))
    return total - arrived if total - arrived > _LEFT_OVER * total + 1 else 0


def _count(event: Happening) -> int:
    count = event.arguments.get("count", 1)
    return int(count) if isinstance(count, int | float) else 1
