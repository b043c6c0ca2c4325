"""What the run has checked, as a table whose times can be gone to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.nearest import some
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.content import Content, Fold, Inline, Quiet, Table, Time

_MOST_NAMED = 3
_HOLDS = {True: "holds", False: "does not hold", None: "not known"}
_TONES = {True: "good", False: "bad", None: "unseen"}


def coverage_table(episode: Episode) -> Content:
    """Return a folded table: claim, thing, whether it holds, from what, when, or why it was not checked."""
    rows: Sequence[Mapping[str, Any]] = episode.summary.get("coverage") or ()
    if not rows:
        return ()
    missed = sum(not row["checked"] for row in rows)
    title = f"What was checked: {len(rows) - missed} of {len(rows)} claims"
    return Fold(title, Table(["claim", "of", "", "from", "when"], [_row(row) for row in rows]))


def _row(row: Mapping[str, Any]) -> list[Inline]:
    holds = row["holds"] if row["checked"] else None
    spans: list[Inline] = []
    for begun, ended in row["spans"]:
        spans += [", "] if spans else []
        spans += [Time(round(begun * 1e9)), " to ", Time(round(ended * 1e9))]
    said = ", ".join(map(str, row["from"])) if row["checked"] else f"not checked: {row['why']}"
    if row["checked"] and row["why"]:
        said += f"; {row['why']}"
    about = (str(row["subject"]), _of(row["of"]))
    return [str(row["claim"]), about, Quiet(_HOLDS[holds], _TONES[holds]), said, tuple(spans)]


def _of(names: Sequence[str]) -> Inline:
    """The first links or joints that it is about, and how many others."""
    return (" ", Quiet(f"({some(names, _MOST_NAMED)})")) if names else ""
