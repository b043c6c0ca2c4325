"""The concerns of a run as its summary has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hetwin_core.episodes.episode import Episode

NOTE, WARNING, ABSURD = SEVERITIES = ("note", "warning", "absurd")
"""From the least to the worst."""


class StoredConcern(NamedTuple):
    """Something that a user should know of, when it lasted in ns, and how many times it occurred."""

    name: str
    severity: str
    from_ns: int
    to_ns: int
    arguments: Mapping[str, Any]
    text: str
    times: int

    @property
    def serious(self) -> bool:
        """Whether it makes the run doubtful."""
        return self.severity != NOTE


def stored_concerns(episode: Episode) -> list[StoredConcern]:
    """The concerns, the worst first, then by their beginning; none for a run that was not watched."""
    rows = episode.summary.get("concerns") or ()
    found = [_stored(row) for row in rows if isinstance(row, Mapping)]
    return sorted(found, key=lambda c: (-SEVERITIES.index(c.severity), c.from_ns))


def _stored(row: Mapping[str, Any]) -> StoredConcern:
    name, severity = str(row.get("name", "unknown")), row.get("severity")
    begun = _ns(row.get("from"))
    return StoredConcern(
        name,
        severity if severity in SEVERITIES else WARNING,
        begun,
        max(begun, _ns(row.get("to"))),
        row.get("arguments") or {},
        str(row.get("text") or name.replace("_", " ")),
        int(row.get("count") or 1),
    )


def _ns(seconds: object) -> int:
    return round(float(seconds) * 1e9) if isinstance(seconds, int | float) else 0
