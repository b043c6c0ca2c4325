"""A row of a night's table: what came of one recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from hetwin_suite.study import Replayed

GOOD, BAD, UNKNOWN, FAULT = "good", "bad", "not known", "fault"
BROKEN, HANGS, DIED, FAILED = "broken", "hangs", "died", "failed"
"""Verdicts that are no run's: it cannot be read, it was ended, its process died, the run failed."""
UNCHECKED, STOPPED = "unchecked", "stopped"


@dataclass(frozen=True, slots=True)
class Row:
    """What came of a recording.

    Attributes:
        name: name of the recording.
        verdict: verdict of the run, or what else became of it.
        claims: name -> whether it holds; None: not known.
        unknown: name of a claim -> why it is not known.
        first_at_s: when it first went wrong [s]; None: it did not, or the fault is not in the run.
        first: what it was, in words; why there is no verdict.
        kind: of what first went wrong, such as ``dropped``.
        checked: claims of the coverage that were checked.
        unchecked: those that were not.
        end_s: simulated time at which the run ended [s].
        digest: digest of the run.
        page: page of the run, relative to the table; empty: none.
        about: what is known about the recording.
        probabilities: probabilities of claims that were judged by evidence.
    """

    name: str
    verdict: str
    claims: Mapping[str, bool | None] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)
    first_at_s: float | None = None
    first: str = ""
    kind: str = ""
    checked: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    end_s: float = 0.0
    digest: str = ""
    page: str = ""
    about: Mapping[str, str] = field(default_factory=dict)
    probabilities: Mapping[str, float] = field(default_factory=dict)

    @property
    def outcome(self) -> str:
        """`GOOD`, `BAD`, `UNKNOWN` or `FAULT`."""
        if self.verdict in (BROKEN, HANGS, DIED, FAILED):
            return FAULT
        if any(holds is False for holds in self.claims.values()):
            return BAD
        if self.verdict in (UNCHECKED, STOPPED) or None in self.claims.values():
            return UNKNOWN
        return GOOD if self.verdict == "fine" else BAD

    def to_json(self) -> dict[str, Any]:
        """The row with its outcome."""
        return {**asdict(self), "outcome": self.outcome}


def row_of(name: str, about: Mapping[str, str], replayed: Replayed, page: str) -> Row:
    """Return the row of a recording that was replayed."""
    if replayed.error:
        return Row(
            name, FAILED, first=replayed.error, end_s=replayed.end_s, page=page, about=dict(about)
        )
    first = replayed.first_bad
    counted = [one for one in replayed.coverage if one.get("matters", True)]
    return Row(
        name,
        replayed.verdict,
        {one.name: one.holds for one in replayed.judged},
        {one.name: one.why for one in replayed.judged if one.holds is None},
        None if first is None else round(first.at_s, 3),
        "" if first is None else first.text,
        "" if first is None else first.kind,
        tuple(dict.fromkeys(str(one["claim"]) for one in counted if one["checked"])),
        tuple(dict.fromkeys(str(one["claim"]) for one in counted if not one["checked"])),
        round(replayed.end_s, 3),
        replayed.digest,
        page,
        dict(about),
        dict(replayed.probabilities),
    )


def row_from_json(given: Mapping[str, Any]) -> Row:
    """Return a row that was kept, as `Row.to_json` has it.

    Raises:
        ValueError, KeyError, TypeError: if this is none.
    """
    told = dict(given)
    del told["outcome"]
    told["checked"], told["unchecked"] = tuple(told["checked"]), tuple(told["unchecked"])
    return Row(**told)
