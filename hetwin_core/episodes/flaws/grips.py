"""What hands take, and what they lose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hetwin_core.ensemble.concern_words import DROPPED
from hetwin_core.ensemble.conductor.reporting.concerns import SEVERITY
from hetwin_core.episodes.flaws.facts import Facts
from hetwin_core.episodes.tables.rows import DERIVED, Happening, Interval, Occasion, Task

_PASSING_NS = 300_000_000
"""Between two hands, and when fingers close once more, nothing is held for so long at most [ns]."""
_MEANT_NS = 2_000_000_000
"""Tasks so long before a hand has taken something may still have meant it [ns]."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A hand takes an object that no task means.

    Attributes:
        object: that it takes.
        hand: that takes it.
        meant: the objects that its tasks name as theirs.
        task: the task.
        span: from when it holds it to when it lifts it, if it does.
        grip: the hold; None if only an event tells of it.
        event: the event; None if there is a hold.
    """

    object: str
    hand: str
    meant: tuple[str, ...]
    task: Task
    span: Interval
    grip: Occasion | None = None
    event: Happening | None = None


def lost(facts: Facts) -> Iterator[Occasion]:
    """Yield the holds that ended though no task may let go of the object."""
    for grip in facts.grips:
        time_ns = grip.span.to_ns
        if not grip.ended or time_ns >= facts.tables.known_until_ns - _PASSING_NS:
            continue
        soon = Interval(time_ns - _PASSING_NS, time_ns + _PASSING_NS)
        others = (row for row in facts.during("held", grip.a, soon) if row.a == grip.a)
        if any(row.row != grip.row and row.span.to_ns > time_ns for row in others):
            continue
        tasks = facts.expectations.near(time_ns)
        if tasks and not any(facts.expectations.may(task, "released") for task in tasks):
            yield grip


def dropped(facts: Facts) -> Iterator[Happening]:
    """Yield the drops that the hand's observer says were not meant, or that no task was to bring about."""
    for event in facts.events(DROPPED):
        said, begin = event.arguments, event.arguments.get("from")
        if not isinstance(begin, float) or "height" not in said:
            continue  # of a model that tells less
        if (
            SEVERITY in said
            or facts.expectations.expects(DROPPED, said, round(begin * 1e9)) is False
        ):
            yield event


def hold_end_ns(facts: Facts, drop: Happening) -> int:
    """Return when the hold ended with which something was dropped: as the states say, else as the event does."""
    said = drop.arguments
    begin_ns = round(float(said["from"]) * 1e9)  # type: ignore[arg-type]
    ends = [
        g.span.to_ns for g in facts.grips if (g.a, g.b) == (said.get("object"), said.get("hand"))
    ]
    near = [time_ns for time_ns in ends if abs(time_ns - begin_ns) <= _PASSING_NS]
    return min(near, default=begin_ns)


def wrongly_taken(facts: Facts) -> Iterator[Taken]:
    """Yield what hands took while their tasks were about other objects."""
    for grip in facts.grips:
        if grip.span.from_ns > facts.tables.start_ns:
            meant = _meant(facts, grip.a, grip.b, grip.span.from_ns)
            if meant is not None:
                yield Taken(grip.a, grip.b, *meant, _until_lifted(facts, grip), grip)
    for event in facts.events("pick_up"):
        name, hand = (str(event.arguments.get(key) or "") for key in ("object", "hand"))
        around = Interval(event.time_ns - _MEANT_NS, event.time_ns + _MEANT_NS)
        if event.source == DERIVED and not any(facts.during("held", name, around)):
            meant = _meant(facts, name, hand, event.time_ns)
            if meant is not None:
                yield Taken(name, hand, *meant, Interval(event.time_ns, event.time_ns), None, event)


def _until_lifted(facts: Facts, grip: Occasion) -> Interval:
    lifts = facts.events("picked_up", "pick_up", about=grip.a)
    times = [e.time_ns for e in lifts if grip.span.from_ns <= e.time_ns <= grip.span.to_ns]
    return Interval(grip.span.from_ns, min(times, default=grip.span.from_ns))


def _meant(facts: Facts, name: str, hand: str, time_ns: int) -> tuple[tuple[str, ...], Task] | None:
    """Return the objects that a hand's tasks are about, if this one is not among them, and the task that says so."""
    tasks = facts.expectations.active(time_ns, 0, _PASSING_NS)
    if any(name in facts.named.entities(task) for task in tasks):
        return None
    for task in facts.expectations.innermost(time_ns) or facts.expectations.near(time_ns):
        about = facts.named.role(task, "object")
        meant = tuple(one for one in about if facts.bodies.is_movable(one))
        hands = facts.named.role(task, "hand")
        if meant and (not hands or any(hand in facts.bodies.stands_for(one) for one in hands)):
            return meant, task
    return None
