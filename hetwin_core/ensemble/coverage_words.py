"""The wording of what a run has checked, in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.sentences.catalogue import group, say


def coverage_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """What was checked and what not, e.g. ``touches of 7 links checked; not checked: base (no odometry)``.

    Args:
        rows: of the run's coverage, as the summary has them.
    """
    if not rows:
        return say("verdict.nothing_checked")
    of_claim: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        of_claim.setdefault(str(row["claim"]), []).append(row)
    checked = [
        say(f"claim.{claim}", count=sum(len(row["of"]) for row in seen))
        for claim, those in of_claim.items()
        if (seen := [row for row in those if row["checked"]])
    ]
    missed = [
        _missed(claim, unseen)
        for claim, those in of_claim.items()
        if (unseen := [row for row in those if not row["checked"]])
    ]
    said = say("verdict.checked", checked=", ".join(checked), missed=", ".join(missed))
    return said.removeprefix("; ")


def claim_named(word: str) -> str | None:
    """The claim that a word names in either number, e.g. ``grips``; None if it names none."""
    return next((name for name in group("claim") if word in (name, _plural(name))), None)


def claim_words() -> Iterable[str]:
    """The words by which claims are named."""
    return map(_plural, group("claim"))


def _plural(claim: str) -> str:
    return say(f"claim.{claim}", count=0)


def _missed(claim: str, rows: Sequence[Mapping[str, Any]]) -> str:
    reasons = ", ".join(dict.fromkeys(str(row["why"]) for row in rows if row.get("why")))
    return f"{_plural(claim)} ({reasons})" if reasons else _plural(claim)
