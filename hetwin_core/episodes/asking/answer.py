"""Answers to questions, and the rows that support them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.expressions.evaluation import EvaluationError
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.episodes.tables.intervals import NEVER, Intervals, union
from hetwin_core.episodes.tables.rows import (
    Belief,
    BeliefError,
    Happening,
    Interval,
    Occasion,
    Task,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A row that supports an answer.

    Attributes:
        table: ``occasions``, ``events``, ``tasks``, ``beliefs``, ``belief_errors`` or ``poses``.
        row: its number in the table; for poses, the number of the state.
        span: its interval; for an event or a pose, its time as both ends.
        more: further content of the row, such as a distance [m].
    """

    table: str
    row: int
    span: Interval
    more: Mapping[str, Json] = field(default_factory=dict, compare=False)


def of_occasion(row: Occasion) -> Evidence:
    """Return the evidence of an occasion's row."""
    return Evidence("occasions", row.row, row.span)


def of_event(row: Happening) -> Evidence:
    """Return the evidence of an event's row."""
    return Evidence("events", row.row, row.span)


def of_task(row: Task) -> Evidence:
    """Return the evidence of a task's row."""
    return Evidence("tasks", row.row, row.span)


def of_belief(row: Belief) -> Evidence:
    """Return the evidence of a belief's row."""
    return Evidence("beliefs", row.row, row.span)


def of_error(row: BeliefError) -> Evidence:
    """Return the evidence of an incorrect belief: for a pose with its error, and the times of belief and motion."""
    deviation: dict[str, Json] = {"distance": round(row.distance, 6), "angle": round(row.angle, 6)}
    formation: dict[str, Json] = {"believed": row.believed_ns / 1e9, "moved": row.moved_ns / 1e9}
    return Evidence("belief_errors", row.row, row.span, {**deviation, **formation})


def of_state(row: int, time_ns: int, **more: Json) -> Evidence:
    """Return the evidence of a state of the log."""
    return Evidence("poses", row, Interval(time_ns, time_ns), more)


def in_order(rows: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Return each row once, sorted by time."""
    return tuple(sorted(dict.fromkeys(rows), key=lambda e: (e.span.from_ns, e.table, e.row)))


class NotKnown(EvaluationError):
    """The log does not contain the answer; unknown is neither true nor false."""


def reason(why: Iterable[str]) -> str:
    """Return the reasons why something is unknown, as one text."""
    return "; ".join(why) or say("question.not_said")


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether something holds.

    Attributes:
        truth: None if unknown: because the time is after the end of a growing log, or nothing was recorded.
        intervals: when it holds; for a moment the whole intervals around it, for an interval their parts inside it.
        bindings: the entities for which it holds, one mapping from variables to entities for each; empty without
            variables.
        evidence: the supporting rows.
        why: why it is unknown, each reason once; empty otherwise.
    """

    truth: bool | None
    intervals: Intervals = NEVER
    bindings: tuple[Mapping[str, str], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    why: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return the truth.

        Raises:
            NotKnown: if it is unknown.
        """
        if self.truth is None:
            raise NotKnown(f"{reason(self.why)}; compare `truth` with None")
        return self.truth

    @property
    def seconds(self) -> list[tuple[float, float]]:
        """The intervals in s of simulated time."""
        return [(part.from_ns / 1e9, part.to_ns / 1e9) for part in self.intervals]


DIGITS = 6
"""Decimal places of times in s; the last one is a microsecond."""


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """The answer to a question.

    Attributes:
        question: the question's text.
        value: a truth, number, text, list, or a map such as a task; None if unknown.
        intervals: when its terms held.
        bindings: the entities for which they held.
        evidence: the supporting rows.
        seconds: wall time of the evaluation.
        why: why the value is unknown; empty otherwise.
    """

    question: str
    value: Any
    intervals: Intervals
    bindings: tuple[Mapping[str, str], ...]
    evidence: tuple[Evidence, ...]
    seconds: float
    why: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the answer for JSON; times in s of simulated time."""
        return {
            "question": self.question,
            "value": self.value,
            "why": self.why or None,
            "intervals": [
                [_to_seconds(part.from_ns), _to_seconds(part.to_ns)] for part in self.intervals
            ],
            "bindings": [dict(binding) for binding in self.bindings],
            "evidence": [evidence_row(row) for row in self.evidence],
            "seconds": round(self.seconds, DIGITS),
        }


def evidence_row(row: Evidence) -> dict[str, Any]:
    """Return a row of evidence for JSON; times in s of simulated time."""
    key = {"table": row.table, "row": row.row}
    return {
        **key,
        "from": _to_seconds(row.span.from_ns),
        "to": _to_seconds(row.span.to_ns),
        **row.more,
    }


def _to_seconds(time_ns: int) -> float:
    return round(time_ns / 1e9, DIGITS)


class _FunctionRead(NamedTuple):
    truth: bool | None
    intervals: Intervals
    bindings: tuple[Mapping[str, str], ...]
    evidence: tuple[Evidence, ...]


class Record:
    """Records the reads of one question's functions."""

    def __init__(self) -> None:
        self._reads: list[_FunctionRead] = []

    def note(self, answer: Answer, also: tuple[Evidence, ...] = ()) -> None:
        """Record a truth, and the rows that its time and its goal came from."""
        rows = (*answer.evidence, *also)
        self._reads.append(_FunctionRead(answer.truth, answer.intervals, answer.bindings, rows))

    def rows(self, *evidence: Evidence) -> None:
        """Record rows that were read for a value other than a truth."""
        self._reads.append(_FunctionRead(None, Intervals(), (), evidence))

    def supporting(self, value: object) -> _FunctionRead:
        """Return the evidence of an answer.

        For a true or false answer, this is the evidence of the reads with the same truth, such as those that made
        ``all`` false or ``exists`` true; if there are none, as after ``!``, of all reads.
        """
        same = [r for r in self._reads if r.truth is value] if isinstance(value, bool) else []
        used = same or self._reads
        bindings = {tuple(binding.items()): binding for r in used for binding in r.bindings}
        return _FunctionRead(
            None,
            union(r.intervals for r in used),
            tuple(bindings.values()),
            in_order(row for r in used for row in r.evidence),
        )
