"""What the run has checked, as a table whose times can be gone to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hetwin_core.ensemble.nearest import some
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.report.document import folded
from hetwin_suite.view.report.time_link import time_link

_MOST_NAMED = 3
_HOLDS = {True: "holds", False: "does not hold", None: "not known"}
_TONES = {True: "good", False: "bad", None: "unseen"}


def coverage_table(episode: Episode) -> str:
    """Return a folded table: claim, thing, whether it holds, from what, when, or why it was not checked."""
    rows: Sequence[Mapping[str, Any]] = episode.summary.get("coverage") or ()
    if not rows:
        return ""
    missed = sum(not row["checked"] for row in rows)
    title = f"What was checked: {len(rows) - missed} of {len(rows)} claims"
    head = "".join(f"<th>{name}</th>" for name in ("claim", "of", "", "from", "when"))
    body = "".join(_row(row) for row in rows)
    return folded(title, f'<table class="coverage"><tr>{head}</tr>{body}</table>')


def _row(row: Mapping[str, Any]) -> str:
    holds = row["holds"] if row["checked"] else None
    spans = ", ".join(
        f"{time_link(round(begun * 1e9))} to {time_link(round(ended * 1e9))}"
        for begun, ended in row["spans"]
    )
    said = ", ".join(map(str, row["from"])) if row["checked"] else f"not checked: {row['why']}"
    if row["checked"] and row["why"]:
        said += f"; {row['why']}"
    cells = [
        escape(str(row["claim"])),
        f"{escape(str(row['subject']))}{_of(row['of'])}",
        f'<span class="{_TONES[holds]}">{_HOLDS[holds]}</span>',
        escape(said),
        spans,
    ]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _of(names: Sequence[str]) -> str:
    """The first links or joints that it is about, and how many others."""
    if not names:
        return ""
    return f' <span class="note">({escape(some(names, _MOST_NAMED))})</span>'
