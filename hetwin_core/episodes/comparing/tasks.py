"""Where the tasks of two runs part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hetwin_core.ensemble.events import Json
from hetwin_core.episodes.comparing.comparison import TOLERANCE_NS, Parting
from hetwin_core.episodes.comparing.side import Side
from hetwin_core.episodes.tables.rows import Interval, Task


class Split(NamedTuple):
    """A task that only one run has, or that went differently.

    Attributes:
        time_ns: when it first differs.
        here: the first run's; None if it has none.
        there: the other's.
    """

    time_ns: int
    here: Task | None
    there: Task | None

    def words(self) -> str:
        """Return what the runs have of it, in words."""
        if self.here is None or self.there is None:
            task = self.here or self.there
            assert task is not None  # one of them is there
            return f"only {'here' if self.here else 'there'}: the task {task.id}"
        if self.here.status != self.there.status:
            ways = f"{_ending(self.here)} here, {_ending(self.there)} there"
            return f"the task {self.here.id} is {ways}"
        lasts = f"lasts {_lasting(self.here)} here, {_lasting(self.there)} there"
        return f"the task {self.here.id} {lasts}"


def split_tasks(here: Side, there: Side, span: Interval) -> list[Split]:
    """Return the tasks that differ, by when they do.

    Tasks are the same by their ids; if the runs have no id in common, by operation and number.
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
            found.append(Split(time_ns, one, other))
    return sorted(found, key=lambda split: split.time_ns)


def parting_of(split: Split, here: Side, there: Side) -> Parting:
    """Return the place where the runs part by this task."""
    known = (here.layout, there.layout)
    texts = [text for task in (split.here, split.there) if task for text in _texts(task)]
    named = (text for text in texts if any(layout.entity_id(text) >= 0 for layout in known))
    rows = [None if task is None else _row(task) for task in (split.here, split.there)]
    return Parting(split.time_ns, tuple(dict.fromkeys(named)), *rows)


def _row(task: Task) -> dict[str, Json]:
    return {
        "id": task.id,
        "operation": task.operation,
        "from": task.span.from_ns / 1e9,
        "to": task.span.to_ns / 1e9,
        "status": task.status.value,
    }


def _texts(task: Task) -> Iterator[str]:
    yield from (value for value in task.variables.values() if isinstance(value, str))
    yield from re.findall(r"[^\s\"'(),]+", task.goal)


def _lasting(task: Task) -> str:
    return f"from {task.span.from_ns / 1e9:.2f} to {task.span.to_ns / 1e9:.2f} s"


def _ending(task: Task) -> str:
    return f"{task.status.value} ({task.reason})" if task.reason else task.status.value


def _named(tasks: Sequence[Task], *, by_id: bool) -> dict[str, Task]:
    """Return tasks by what must be the same of those of the other run."""
    if by_id:
        return {task.id: task for task in tasks}
    counts: Counter[str] = Counter()
    found = {}
    for task in tasks:
        counts[task.operation] += 1
        found[f"{task.operation}.{counts[task.operation]}"] = task
    return found


def _first_difference(one: Task | None, other: Task | None, span: Interval) -> int | None:
    """Return when a task first differs; None if it does not, as far as both runs are known."""
    if one is None or other is None:
        task = one or other
        assert task is not None  # one of them is there
        return task.span.from_ns
    for mine, others in zip(one.span, other.span, strict=True):
        first = min(mine, others)
        if abs(mine - others) > TOLERANCE_NS and first < span.to_ns:
            return first
    ends = min(one.span.to_ns, other.span.to_ns)
    return ends if one.status != other.status and ends < span.to_ns else None
