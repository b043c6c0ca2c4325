"""The wording of what a run has checked, in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_PLURALS = {
    "grip": "grips",
    "touch": "touches",
    "effort": "efforts",
    "motion": "motions",
    "support": "supports",
    "drop": "drops",
    "connection": "connections",
    "container": "containers",
    "base": "base",
    "time": "time",
    "outcome": "outcomes",
    "task": "tasks",
}
_COUNTED = {"touch": "link", "effort": "joint", "motion": "joint"}
"""Claims of which the sentence says of how many things they were checked."""


def coverage_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """What was checked and what not, e.g. ``touches of 7 links checked; not checked: base (no odometry)``.

    Args:
        rows: of the run's coverage, as the summary has them.
    """
    if not rows:
        return "nothing was checked"
    claims = dict.fromkeys(str(row["claim"]) for row in rows)
    by_claim = {claim: [row for row in rows if row["claim"] == claim] for claim in claims}
    seen = {c: [r for r in those if r["checked"]] for c, those in by_claim.items()}
    checked = [_checked(claim, those) for claim, those in seen.items() if those]
    missed = [_missed(c, [r for r in those if not r["checked"]]) for c, those in by_claim.items()]
    parts = [f"{', '.join(checked)} checked"] if checked else []
    parts += [f"not checked: {', '.join(filter(None, missed))}"] if any(missed) else []
    return "; ".join(parts)


def claim_named(word: str) -> str | None:
    """The claim that a word names in either number, e.g. ``grips``; None if it names none."""
    names = {**{name: name for name in _PLURALS}, **{many: one for one, many in _PLURALS.items()}}
    return names.get(word)


def claim_words() -> Iterable[str]:
    """The words by which claims are named."""
    return _PLURALS.values()


def _checked(claim: str, rows: Sequence[Mapping[str, Any]]) -> str:
    counted = _COUNTED.get(claim)
    if counted is None:
        return _PLURALS.get(claim, claim)
    count = sum(len(row["of"]) for row in rows)
    return f"{_PLURALS[claim]} of {count} {counted}{'' if count == 1 else 's'}"


def _missed(claim: str, rows: Sequence[Mapping[str, Any]]) -> str:
    reasons = dict.fromkeys(str(row["why"]) for row in rows if row.get("why"))
    if not rows:
        return ""
    return f"{_PLURALS.get(claim, claim)} ({', '.join(reasons)})" if reasons else _PLURALS[claim]
