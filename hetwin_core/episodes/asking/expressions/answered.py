"""Answers to questions in expressions, as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hetwin_core.episodes.asking.evidence import Evidence
from hetwin_core.episodes.asking.intervals import Intervals

DIGITS = 6
"""Seconds have so many, which is a microsecond."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a question.

    Attributes:
        question: as it was asked.
        value: a truth, number, text, list, or a map such as a task; None if it is not known.
        intervals: when the terms in it held.
        bindings: the entities for which they did.
        evidence: the rows that it rests on.
        seconds: how long it took, of wall time.
        why: why the value is not known; empty if it is.
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
            "intervals": [[_s(part.from_ns), _s(part.to_ns)] for part in self.intervals],
            "bindings": [dict(binding) for binding in self.bindings],
            "evidence": [evidence_row(row) for row in self.evidence],
            "seconds": round(self.seconds, DIGITS),
        }


def evidence_row(row: Evidence) -> dict[str, Any]:
    """Return a row of evidence for JSON; times in s of simulated time."""
    place = {"table": row.table, "row": row.row}
    return {**place, "from": _s(row.span.from_ns), "to": _s(row.span.to_ns), **row.more}


def _s(time_ns: int) -> float:
    return round(time_ns / 1e9, DIGITS)
