"""Finds the differences in the events, tasks and occasions of two runs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hetwin_compare.comparison import TOLERANCE_NS, Parting, Side, unpaired
from hetwin_compare.motion import SETTLING_NS
from hetwin_suite.model import Event, EventKind, Json
from hetwin_suite.runs import event_words, is_routine_touch
from hetwin_suite.tables import (
    BORNE,
    DERIVED,
    Happening,
    Interval,
    Intervals,
    Occasion,
    Task,
    picked,
)

_COUNTERPART_NS = 1_000_000_000
"""Maximum time between an event and its counterpart in the other run [ns]."""
_EDGES = ("collision", "collision_end", "loc_change")
"""Derived events at the start or end of occasions and motions; those are compared themselves, without flicker."""


class EventSplit(NamedTuple):
    """An event of one run alone, or a pair of counterparts that differ; at least one of them is set."""

    here: Happening | None
    there: Happening | None

    @property
    def first(self) -> Happening:
        """The earlier one."""
        found = [event for event in self if event is not None]
        return min(found, key=lambda event: event.time_ns)

    @property
    def time_ns(self) -> int:
        """Time of the earlier one [ns]."""
        return self.first.time_ns


def split_events(here: Side, there: Side, span: Interval) -> list[EventSplit]:
    """Return the events in which the runs differ, in order; counterparts of about the same time are paired.

    Two events are equal if their names and all arguments except numbers are.
    """
    alone = unpaired(_compared(here, span), _compared(there, span), _key, _time)
    left, right = (list(events) for events in alone)
    splits = []
    while left or right:
        swap = not left or (right and _time(right[0]) < _time(left[0]))
        mine, others = (right, left) if swap else (left, right)
        event = mine.pop(0)
        other = _counterpart(event, others)
        if other is not None:
            others.remove(other)
        splits.append(EventSplit(other, event) if swap else EventSplit(event, other))
    return splits


def parting_of_event(split: EventSplit, here: Side, there: Side) -> Parting:
    """Return the divergence of the runs that these events make."""
    rows = [
        None if event is None else picked(event, "name", "time", "arguments") for event in split
    ]
    named: dict[str, None] = {}
    for event in split:
        if event is not None:
            named |= dict.fromkeys(entities_of(event, here, there))
    return Parting(split.time_ns, tuple(named), *rows)


def entities_of(event: Happening, here: Side, there: Side) -> list[str]:
    """Return the entities that the arguments of an event name."""
    texts = (text for value in event.arguments.values() for text in _texts(value))
    known = (here.layout, there.layout)
    found = (text for text in texts if any(layout.entity_id(text) >= 0 for layout in known))
    return list(dict.fromkeys(found))


def split_words(split: EventSplit) -> str:
    """Return both versions of an event as text."""
    one, other = split
    if one is None:
        return f"only there: {_words(split.first)}"
    if other is None:
        return f"only here: {_words(split.first)}"
    apart = (other.time_ns - one.time_ns) / 1e9
    if _key(one) == _key(other):
        when = f"{abs(apart):.2f} s {'later' if apart > 0.0 else 'earlier'} there"
        return f"{_words(one)}, {when}"
    return f"here: {_words(one)}; there: {_words(other)}"


def _words(event: Happening) -> str:
    known = _event(event)
    words = event_words(known)
    return words if known.kind is EventKind.MODEL else f"robot: {words}"


def _event(event: Happening) -> Event:
    kind = EventKind.ACTION if "phase" in event.arguments else EventKind.MODEL
    return Event(event.name, event.time_ns, kind, event.source, event.row, event.arguments)


def _compared(side: Side, span: Interval) -> list[Happening]:
    return [
        event
        for event in side.tables.events
        if span.from_ns <= event.time_ns < span.to_ns
        and not (event.source == DERIVED and event.name in _EDGES)
        and not is_routine_touch(_event(event))
    ]


def _key(event: Happening) -> Hashable:
    return event.name, json.dumps(_without_numbers(event.arguments), sort_keys=True)


def _time(event: Happening) -> int:
    return event.time_ns


def _without_numbers(value: Json | Mapping[str, Json]) -> Json:
    if isinstance(value, Mapping):
        kept = {key: _without_numbers(v) for key, v in value.items() if not _is_number(v)}
        return {key: v for key, v in kept.items() if v is not None}
    if isinstance(value, list):
        return [_without_numbers(item) for item in value if not _is_number(item)]
    return value


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _counterpart(event: Happening, others: Sequence[Happening]) -> Happening | None:
    """Return the first event of the same name within `_COUNTERPART_NS` that is equal or shares a text argument."""
    named = {text for value in event.arguments.values() for text in _texts(value)}
    for other in others:
        apart = abs(other.time_ns - event.time_ns)
        same = _key(event) == _key(other)
        if apart > _COUNTERPART_NS or other.name != event.name:
            continue
        if same or named & {text for value in other.arguments.values() for text in _texts(value)}:
            return other
    return None


_OF_MOTION = ("loc", "moving", "attached", BORNE)
"""Fluents that follow from motions and supports; those are compared themselves."""


_SHORT_S = 1.0


class Fact(NamedTuple):
    """A fluent with its arguments, as in a row of occasions."""

    fluent: str
    a: str
    b: str

    def words(self) -> str:
        """Return it in the syntax of questions, e.g. ``on(box, tray)``."""
        return f"{self.fluent}({', '.join(name for name in (self.a, self.b) if name)})"


class Disagreement(NamedTuple):
    """An interval in which a fluent holds in one run alone.

    Attributes:
        fact: the fluent with its arguments.
        span: the interval.
        side: the run in which it holds or has ended: 0 for the first, 1 for the other.
        occasion: occasion of that run.
    """

    fact: Fact
    span: Interval
    side: int
    occasion: Occasion

    def words(self) -> str:
        """Return it as text, with its duration if that is short."""
        over = " ends" if self.occasion.span.to_ns <= self.span.from_ns else ""
        length = (self.span.to_ns - self.span.from_ns) / 1e9
        duration = f", for {length:.2f} s" if length < _SHORT_S else ""
        return f"only {'there' if self.side else 'here'}: {self.fact.words()}{over}{duration}"


def disagreements(here: Side, there: Side, span: Interval) -> list[Disagreement]:
    """Return the facts that hold in one run alone for longer than the tolerance, by the start of their interval.

    A difference in the initial state is left out until it ends. A fact about an object of one run alone that holds at
    the start counts as holding in the other run as well.
    """
    compared = (here.tables.recorded & there.tables.recorded) - {*_OF_MOTION}
    one, other = (_by_fact(side.tables.occasions, compared) for side in (here, there))
    found: list[Disagreement] = []
    for fact in dict.fromkeys([*one, *other]):
        lone = any(name and here.has(name) != there.has(name) for name in (fact.a, fact.b))
        within = Interval(span.from_ns + SETTLING_NS, span.to_ns) if lone else span
        rows = one.get(fact, []), other.get(fact, [])
        moments = _moments(rows[0], within), _moments(rows[1], within)
        for apart, side in _apart(*moments, within, lone=lone):
            if not rows[side]:  # has ended, for an object that the other run does not have
                side = 1 - side
            found.append(Disagreement(fact, apart, side, _around(rows[side], apart.from_ns)))
    return sorted(found, key=lambda item: (item.span.from_ns, item.fact))


def _apart(
    here: Intervals, there: Intervals, within: Interval, *, lone: bool
) -> Iterator[tuple[Interval, int]]:
    """Yield the intervals in which a fact holds in one run alone, with the index of the run."""
    whole = Intervals([within])
    if lone and within.from_ns in here | there:
        here, there = (one or whole for one in (here, there))
    for side, alone in enumerate((here - there, there - here)):
        for apart in alone:
            is_long = apart.to_ns - apart.from_ns > TOLERANCE_NS
            if is_long and apart.from_ns > within.from_ns:
                yield apart, side


def _moments(rows: Iterable[Occasion], within: Interval) -> Intervals:
    return Intervals(row.span for row in rows) & Intervals([within])


def _around(rows: Iterable[Occasion], time_ns: int) -> Occasion:
    """Return the last occasion that has started by a time."""
    return [row for row in rows if row.span.from_ns <= time_ns][-1]


def parting_of_occasions(found: Sequence[Disagreement]) -> Parting | None:
    """Return the first divergence of the runs with the entities of all facts that differ then; None if equal."""
    if not found:
        return None
    first = found[0]
    time_ns = first.span.from_ns
    facts = [item.fact for item in found if item.span.from_ns <= time_ns + TOLERANCE_NS]
    named = (name for fact in facts for name in (fact.a, fact.b) if name)
    row = picked(first.occasion, "fluent", "a", "b", "from", "to")
    rows = (None, row) if first.side else (row, None)
    return Parting(time_ns, tuple(dict.fromkeys(named)), *rows)


def _by_fact(rows: Iterable[Occasion], fluents: frozenset[str]) -> dict[Fact, list[Occasion]]:
    found: dict[Fact, list[Occasion]] = {}
    for row in rows:
        if row.fluent in fluents:
            found.setdefault(Fact(row.fluent, row.a, row.b), []).append(row)
    return {fact: sorted(known, key=lambda row: row.span) for fact, known in found.items()}


class TaskSplit(NamedTuple):
    """A task of one run alone, or one that differs between the runs.

    Attributes:
        time_ns: time of the first difference.
        here: task of the first run; None if it has none.
        there: task of the other run; None if it has none.
    """

    time_ns: int
    here: Task | None
    there: Task | None

    def words(self) -> str:
        """Return both versions of the task as text."""
        if self.here is None or self.there is None:
            task = self.here or self.there
            assert task is not None  # at least one of them is set
            return f"only {'here' if self.here else 'there'}: the task {task.id}"
        if self.here.status != self.there.status:
            endings = f"{_ending(self.here)} here, {_ending(self.there)} there"
            return f"the task {self.here.id} is {endings}"
        duration = f"lasts {_lasting(self.here)} here, {_lasting(self.there)} there"
        return f"the task {self.here.id} {duration}"


def split_tasks(here: Side, there: Side, span: Interval) -> list[TaskSplit]:
    """Return the tasks that differ, by the time of their first difference.

    Tasks are paired by id; if the runs have no id in common, by operation and number.
    """
    sides = [
        [t for t in side.tables.tasks if t.span.from_ns < span.to_ns] for side in (here, there)
    ]
    shared = {task.id for task in sides[0]} & {task.id for task in sides[1]}
    named = [_named(tasks, by_id=bool(shared)) for tasks in sides]
    found = []
    for name in dict.fromkeys([*named[0], *named[1]]):
        one, other = (tasks.get(name) for tasks in named)
        time_ns = _first_difference(one, other, span)
        if time_ns is not None:
            found.append(TaskSplit(time_ns, one, other))
    return sorted(found, key=lambda split: split.time_ns)


def parting_of_task(split: TaskSplit, here: Side, there: Side) -> Parting:
    """Return the divergence of the runs that this task makes."""
    known = (here.layout, there.layout)
    texts = [text for task in (split.here, split.there) if task for text in _words_of(task)]
    named = (text for text in texts if any(layout.entity_id(text) >= 0 for layout in known))
    names = ("id", "operation", "from", "to", "status")
    rows = [None if t is None else picked(t, *names) for t in (split.here, split.there)]
    return Parting(split.time_ns, tuple(dict.fromkeys(named)), *rows)


def _words_of(task: Task) -> Iterator[str]:
    yield from (value for value in task.variables.values() if isinstance(value, str))
    yield from re.findall(r"[^\s\"'(),]+", task.goal)


def _lasting(task: Task) -> str:
    return f"from {task.span.from_ns / 1e9:.2f} to {task.span.to_ns / 1e9:.2f} s"


def _ending(task: Task) -> str:
    return f"{task.status.value} ({task.reason})" if task.reason else task.status.value


def _named(tasks: Sequence[Task], *, by_id: bool) -> dict[str, Task]:
    """Return tasks by the key that pairs them with tasks of the other run."""
    if by_id:
        return {task.id: task for task in tasks}
    counts: Counter[str] = Counter()
    found = {}
    for task in tasks:
        counts[task.operation] += 1
        found[f"{task.operation}.{counts[task.operation]}"] = task
    return found


def _first_difference(one: Task | None, other: Task | None, span: Interval) -> int | None:
    """Return the time of the first difference of a task; None if there is none in the time that both runs cover."""
    if one is None or other is None:
        task = one or other
        assert task is not None  # at least one of them is set
        return task.span.from_ns
    for mine, others in zip(one.span, other.span, strict=True):
        first = min(mine, others)
        if abs(mine - others) > TOLERANCE_NS and first < span.to_ns:
            return first
    ends = min(one.span.to_ns, other.span.to_ns)
    return ends if one.status != other.status and ends < span.to_ns else None
