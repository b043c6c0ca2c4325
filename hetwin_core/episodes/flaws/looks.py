"""What the robot could have seen while it looked, and did not perceive; what it spilled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hetwin_core.episodes.flaws.facts import Facts
from hetwin_core.episodes.tables.rows import Happening, Interval, Occasion, Status, Task

LOOKING = frozenset(
    {
        *("look", "look_at", "look_for", "perceive", "detect"),
        *("observe", "search", "find", "scan", "inspect"),
    }
)
"""Operations in which the robot looks."""
SEEN_NS = 300_000_000
"""What is visible for less time may be missed [ns]."""
LATE_NS = 500_000_000
"""A percept may come so long after a task has ended [ns]."""
_LEFT_OVER = 0.1
"""Of what is poured, so large a share may miss its vessel."""
_FLIGHT_NS = 1_000_000_000
"""Poured particles arrive after at most so long [ns]."""


@dataclass(frozen=True, slots=True)
class Overlooked:
    """A thing was visible while the robot looked, and was not perceived."""

    object: str
    task: Task
    visible: Occasion


@dataclass(frozen=True, slots=True)
class Spilled:
    """Particles of a fluid left their vessel and were not meant to, or did not arrive.

    Attributes:
        vessel: that they left.
        count: how many are lost.
        task: the task in which they did; None if none went on.
        events: that tell of it.
    """

    vessel: str
    count: int
    task: Task | None
    events: tuple[Happening, ...]


def overlooked(facts: Facts) -> Iterator[Overlooked]:
    """Yield what was visible while the robot looked for it, or for anything, and was not perceived."""
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
                yield Overlooked(row.a, task, row)


def _perceived(facts: Facts, task: Task) -> Iterator[str]:
    for event in facts.events("perceived"):
        if task.span.from_ns <= event.time_ns <= task.span.to_ns + LATE_NS:
            yield str(event.arguments.get("object"))
    span = Interval(task.span.from_ns, task.span.to_ns + LATE_NS)
    for belief in facts.tables.beliefs.find("visible", during=span):
        if belief.holds:
            yield belief.a


def spilled(facts: Facts) -> Iterator[Spilled]:
    """Yield what was spilled in tasks that do not pour, and what was poured beside its vessel."""
    for vessel, events in _spills(facts):
        count, first = sum(map(_count, events)), events[0]
        task = next(iter(facts.expectations.near(first.time_ns)), None)
        if facts.expectations.expects("spilled", {"cup": vessel}, first.time_ns):
            count = _beside(facts, vessel, task, events)
        if count > 0:
            yield Spilled(vessel, count, task, tuple(events))


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
    """How many particles of what was poured did not arrive; 0 if nearly all did, or if nothing tells of that."""
    caught = facts.events("caught")
    receivers = {str(event.arguments.get("cup")) for event in caught}
    receivers |= set(() if task is None else facts.named.role(task, "target"))
    if not receivers or vessel in receivers:
        return 0  # what misses a vessel is judged where it comes from
    first, last = events[0].time_ns, events[-1].time_ns + _FLIGHT_NS
    arrived = sum(_count(event) for event in caught if first <= event.time_ns <= last)
    total = sum(map(_count, events))
    return total - arrived if total - arrived > _LEFT_OVER * total + 1 else 0


def _count(event: Happening) -> int:
    count = event.arguments.get("count", 1)
    return int(count) if isinstance(count, int | float) else 1
