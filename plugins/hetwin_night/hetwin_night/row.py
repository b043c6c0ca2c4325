"""A row of a night's table: the result of one recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from hetwin_suite.study import ReplayResult

GOOD, BAD, UNKNOWN, FAULT = "good", "bad", "not known", "fault"
BROKEN, HANGS, DIED, FAILED = "broken", "hangs", "died", "failed"
"""Verdicts without a finished run: unreadable recording, timeout of the replay, dead process, failed run."""
UNCHECKED, STOPPED = "unchecked", "stopped"


@dataclass(frozen=True, slots=True)
class Row:
    """The result of a recording.

    Attributes:
        name: name of the recording.
        verdict: verdict of the run, or one of `BROKEN`, `HANGS`, `DIED` and `FAILED`.
        claims: name -> whether it holds; None: not known.
        unknown: name of a claim -> reason why it is not known.
        first_at_s: simulated time of the first fault [s]; None without a fault during the run.
        first: description of the first fault, or why there is no verdict.
        kind: kind of the first fault, such as ``dropped``.
        checked: claims of the coverage that were checked.
        unchecked: claims of the coverage that were not checked.
        end_s: simulated time at which the run ended [s].
        digest: digest of the run.
        page: path of the run's page, relative to the table; empty if there is none.
        about: metadata of the recording.
        probabilities: claim -> its probability, for claims judged by evidence.
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
        """Return the JSON representation with the outcome."""
        return {**asdict(self), "outcome": self.outcome}


def row_of(name: str, about: Mapping[str, str], replayed: ReplayResult, page: str) -> Row:
    """Return the row of a replayed recording."""
    if replayed.error:
        return Row(
            name, FAILED, first=replayed.error, end_s=replayed.end_s, page=page, about=dict(about)
        )
    first = replayed.first_bad
    relevant = [part for part in replayed.coverage if part.get("matters", True)]
    return Row(
        name,
        replayed.verdict,
        {claim.name: claim.holds for claim in replayed.judged},
        {claim.name: claim.why for claim in replayed.judged if claim.holds is None},
        None if first is None else round(first.at_s, 3),
        "" if first is None else first.text,
        "" if first is None else first.kind,
        tuple(dict.fromkeys(str(part["claim"]) for part in relevant if part["checked"])),
        tuple(dict.fromkeys(str(part["claim"]) for part in relevant if not part["checked"])),
        round(replayed.end_s, 3),
        replayed.digest,
        page,
        dict(about),
        dict(replayed.probabilities),
    )


def row_from_json(data: Mapping[str, Any]) -> Row:
    """Return a row from its JSON, see `Row.to_json`.

    Raises:
        ValueError, KeyError, TypeError: if the JSON is not a row.
    """
    fields = dict(data)
    del fields["outcome"]
    fields["checked"], fields["unchecked"] = tuple(fields["checked"]), tuple(fields["unchecked"])
    return Row(**fields)
