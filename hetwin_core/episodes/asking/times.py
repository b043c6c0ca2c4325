"""Times of questions: a moment, some time in an interval, all of an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.tables.rows import Happening, Interval, Status, Task
from hetwin_core.episodes.tables.tables import Tables


class Edge(Enum):
    """The ends of an episode."""

    START = "start"
    END = "end"


START = Edge.START
"""The first time of the log."""
END = Edge.END
"""The last time of the log, which may still grow."""

Moment: TypeAlias = "float | Edge | Happening"
"""A number in s of simulated time, an end of the episode, or an event, which means its time."""
Span: TypeAlias = "Task | Interval"


class Sort(Enum):
    """Quantifiers over an interval."""

    AT = "at"
    DURING = "during"
    THROUGHOUT = "throughout"


@dataclass(frozen=True, slots=True)
class When:
    """A time in a question.

    Attributes:
        sort: a moment, some time in an interval, or all of it.
        first: the moment, or the start of the interval; or the whole interval, if `last` is None.
        last: end of the interval.
    """

    sort: Sort
    first: Moment | Span
    last: Moment | Span | None = None


class Window(NamedTuple):
    """A time of an episode.

    Attributes:
        sort: a moment, some time in an interval, or all of it.
        span: from the first moment to just after the last one [ns].
    """

    sort: Sort
    span: Interval


def at(moment: Moment) -> When:
    """Return a moment: a number in s, `START`, `END` or an event."""
    return When(Sort.AT, moment)


def during(first: Moment | Span, last: Moment | Span | None = None) -> When:
    """Return some time in an interval between two moments, both included, or in a task."""
    return When(Sort.DURING, first, last)


def throughout(first: Moment | Span, last: Moment | Span | None = None) -> When:
    """Return all of an interval between two moments, both included, or of a task."""
    return When(Sort.THROUGHOUT, first, last)


AskedTime: TypeAlias = "When | Moment | Span"
"""A time; a bare moment means `at`, a bare task or interval `during`."""

FOREVER = 2**62
SLACK_NS = 1_000_000
"""Tolerance of times just outside the log, such as rounded ones from an answer; they mean its start or end [ns]."""


def window(asked: AskedTime, tables: Tables) -> Window:
    """Return the time of an episode that a question means.

    Raises:
        BadInput: if it is no time, its end precedes its start, or it lies outside a finished episode.
    """
    if not isinstance(asked, When):
        is_span = isinstance(asked, Task | Interval)
        asked = When(Sort.DURING if is_span else Sort.AT, asked)
    begin = _begin(asked.first, tables)
    if asked.sort is Sort.AT:
        if isinstance(asked.first, Task | Interval):
            raise BadInput("a task is not a moment", where="at", expected="at(t.from) or at(t.end)")
        end = begin
    else:
        end = _end(asked, tables)
    _check(begin, end, asked.sort, tables)
    begin, end = _clamped(begin, tables), _clamped(end, tables)
    return Window(asked.sort, Interval(begin, end + 1))


def whole(tables: Tables) -> Interval:
    """Return the known interval of an episode, including its last moment."""
    return Interval(tables.start_ns, tables.known_until_ns + 1)


def span_of(task: Task, tables: Tables) -> Interval:
    """Return the interval of a task; without an end for a task in progress in a growing log."""
    ended = task.status not in (Status.CREATED, Status.ACTIVE)
    return task.span if ended or tables.finished else Interval(task.span.from_ns, FOREVER)


def nanoseconds(seconds: object) -> int:
    """Convert seconds to ns.

    Raises:
        BadInput: if it is no finite number.
    """
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not math.isfinite(seconds):  # type: ignore[arg-type]
        raise BadInput(
            "this is not a time",
            found=seconds,
            expected="seconds of simulated time, start, end, an event, or a task",
        )
    return round(seconds * 1e9)  # type: ignore[operator]


def _begin(first: Moment | Span, tables: Tables) -> int:
    match first:
        case Edge():
            return tables.start_ns if first is START else tables.known_until_ns
        case Happening():
            return first.time_ns
        case Task():
            return first.span.from_ns
        case Interval():
            return first.from_ns
    return nanoseconds(first)


def _end(asked: When, tables: Tables) -> int:
    last = asked.first if asked.last is None else asked.last
    match last:
        case Task():
            return span_of(last, tables).to_ns
        case Interval():
            return last.to_ns
    if asked.last is None:
        raise BadInput(
            "an interval needs two moments",
            where=asked.sort.value,
            expected=f"{asked.sort.value}(from, to), or {asked.sort.value}(task)",
        )
    return _begin(last, tables)


def _clamped(time_ns: int, tables: Tables) -> int:
    """Return a time, or the log's start or end if it lies just outside."""
    just_before = tables.start_ns - SLACK_NS <= time_ns < tables.start_ns
    just_after = tables.known_until_ns < time_ns <= tables.known_until_ns + SLACK_NS
    if just_before:
        return tables.start_ns
    return tables.known_until_ns if just_after else time_ns


def _check(begin: int, end: int, sort: Sort, tables: Tables) -> None:
    if end < begin:
        raise BadInput(
            "the interval ends before it begins",
            where=sort.value,
            found=f"{begin / 1e9:g} to {end / 1e9:g} s",
            expected="the earlier moment first",
        )
    is_late = tables.finished and max(begin, end) > tables.known_until_ns + SLACK_NS
    if begin < tables.start_ns - SLACK_NS or is_late:
        outside_ns = begin if begin < tables.start_ns or end == begin else end
        raise BadInput(
            "this time is outside of the episode",
            where=sort.value,
            found=f"{outside_ns / 1e9:g} s",
            expected=f"{tables.start_ns / 1e9:g} to {tables.known_until_ns / 1e9:g} s",
        )
