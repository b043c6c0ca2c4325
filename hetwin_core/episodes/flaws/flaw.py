"""A flaw of an episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from hetwin_core.episodes.tables.rows import Interval


class Evidence(NamedTuple):
    """A row of a table that a flaw rests on.

    Attributes:
        table: ``occasions``, ``events``, ``tasks`` or ``belief_errors``.
        row: its number.
        span: when it held.
    """

    table: str
    row: int
    span: Interval

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"table": self.table, "row": self.row, **_seconds(self.span)}


class Cause(NamedTuple):
    """What a flaw comes from.

    Attributes:
        kind: of a flaw; or ``event`` or ``task``.
        what: in words, e.g. ``contact(gripper_left_finger, cup)``; of a task its id.
        span: when it was.
        entities: that it is about.
        flaw: number of the flaw in the list of all; None if it is none.
    """

    kind: str
    what: str
    span: Interval
    entities: tuple[str, ...] = ()
    flaw: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "kind": self.kind,
            "what": self.what,
            **_seconds(self.span),
            "entities": list(self.entities),
            "flaw": self.flaw,
        }


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that went wrong.

    Attributes:
        kind: e.g. ``knocked_over``; that of the rule that found it.
        span: from when to when.
        entities: that it is about, the most important first.
        task: the task in which it happened; None if there was none.
        caused_by: what it comes from, the nearest cause first; other flaws with all that they come from.
        text: in one sentence.
        evidence: the rows that say so.
        trace: entities that took part, which link it with other flaws.
        since_ns: from when on it may bring about others.
    """

    kind: str
    span: Interval
    entities: tuple[str, ...]
    task: str | None
    text: str
    caused_by: tuple[Cause, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    trace: frozenset[str] = frozenset()
    since_ns: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return it as ``hetwin ask --flaws --json`` has it."""
        return {
            "kind": self.kind,
            **_seconds(self.span),
            "entities": list(self.entities),
            "task": self.task,
            "caused_by": [cause.to_json() for cause in self.caused_by],
            "text": self.text,
            "evidence": [row.to_json() for row in self.evidence],
        }


def _seconds(span: Interval) -> dict[str, float]:
    return {"from": round(span.from_ns / 1e9, 6), "to": round(span.to_ns / 1e9, 6)}
