"""Compares two nights of the same recordings: changed verdicts, and the change of the share of bad recordings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hetwin_night.row import BAD, GOOD, Row
from hetwin_suite.command import BadInput, counted

_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Change:
    """A recording whose verdict changed."""

    name: str
    before: str
    after: str
    first: str


@dataclass(frozen=True, slots=True)
class NightDifferences:
    """The differences between two nights.

    Attributes:
        both: number of recordings in both nights.
        only_before, only_after: names of the recordings in one night alone.
        changes: recordings whose outcome or verdict changed, by name.
        judged: number of recordings that are good or bad in both nights.
        to_bad, to_good: number of judged recordings that became bad, or good.
        difference: share of bad recordings after, minus the share before.
        low, high: 95 % interval of the paired difference (Agresti and Min 2005).
    """

    both: int
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    changes: tuple[Change, ...]
    judged: int
    to_bad: int
    to_good: int
    difference: float
    low: float
    high: float

    @property
    def lines(self) -> list[str]:
        """The comparison as lines of text."""
        lines = [
            f"{counted(self.both, 'recording')} in both nights, {len(self.changes)} with another verdict"
        ]
        lines += [f"  {c.name}: {c.before} -> {c.after}{_reason_suffix(c)}" for c in self.changes]
        if self.judged:
            lines.append(
                f"of {self.judged} that are good or bad in both, {self.to_bad} became bad and {self.to_good} good:"
                f" {self.difference:+.1%} bad (95 %: {self.low:+.1%} to {self.high:+.1%})"
            )
        for names, where in ((self.only_before, "first"), (self.only_after, "second")):
            if names:
                lines.append(f"only in the {where}: {counted(len(names), 'recording')}")
        return lines


def compare(before: Sequence[Row], after: Sequence[Row]) -> NightDifferences:
    """Compare two nights.

    Raises:
        BadInput: if they have no recording in common.
    """
    first, second = ({row.name: row for row in rows} for rows in (before, after))
    both = [name for name in first if name in second]
    if not both:
        raise BadInput(
            "the nights have no recording in common",
            where="--diff",
            found=f"{next(iter(first))} and {next(iter(second))}",
            expected="nights of the same recordings",
        )
    pairs = [(first[name], second[name]) for name in both]
    changes = tuple(
        Change(a.name, _description(a), _description(b), b.first)
        for a, b in pairs
        if (a.outcome, a.verdict) != (b.outcome, b.verdict)
    )
    outcomes = [(a.outcome, b.outcome) for a, b in pairs if {a.outcome, b.outcome} <= {GOOD, BAD}]
    to_bad, to_good = outcomes.count((GOOD, BAD)), outcomes.count((BAD, GOOD))
    difference, low, high = paired_difference(to_bad, to_good, len(outcomes))
    return NightDifferences(
        len(both),
        tuple(name for name in first if name not in second),
        tuple(name for name in second if name not in first),
        changes,
        len(outcomes),
        to_bad,
        to_good,
        difference,
        low,
        high,
    )


def paired_difference(up: int, down: int, of: int) -> tuple[float, float, float]:
    """Return the difference of two paired shares, and its 95 % interval (Agresti and Min 2005).

    Args:
        up, down: number of pairs that changed in either direction.
        of: number of pairs.
    """
    if not of:
        return 0.0, -1.0, 1.0
    a, b, n = up + 0.5, down + 0.5, of + 2.0
    middle = (a - b) / n
    half = _Z * math.sqrt(max(a + b - (a - b) ** 2 / n, 0.0)) / n
    return (up - down) / of, max(middle - half, -1.0), min(middle + half, 1.0)


def _description(row: Row) -> str:
    return (
        row.verdict if row.outcome in (row.verdict, "fault") else f"{row.outcome} ({row.verdict})"
    )


def _reason_suffix(change: Change) -> str:
    return f": {change.first}" if change.first else ""
