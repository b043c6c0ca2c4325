"""The section of the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.report.course.drawing import Mark, drawn
from hetwin_suite.view.report.course.facts import facts
from hetwin_suite.view.report.document import Document, card, folded
from hetwin_suite.view.report.sections import table
from hetwin_suite.view.report.time_link import time_link

COURSE = "course"
TITLE = "What was done, what held, what was believed"
_MOST_FLAWS = 8


def course_card(
    tables: Tables, flaws: Sequence[Mark], document: Document, trouble: str = ""
) -> str:
    """Return the section; empty if nothing was done and nothing changed.

    Args:
        tables: of the episode.
        flaws: by their beginning.
        document: takes the figure.
        trouble: what kept flaws from being found; empty if nothing did.
    """
    shown, left = facts(tables)
    if not (shown or tables.tasks or flaws):
        return ""
    note = f'<p class="note">{escape(trouble)}</p>' if trouble else ""
    content = document.plot(drawn(tables, shown, flaws)) + _listed(flaws) + note
    return card(
        "What was done, what held, what was believed",
        _how_to_read(tables, flaws, left),
        content,
        COURSE,
    )


def _how_to_read(tables: Tables, flaws: Sequence[Mark], left: int) -> str:
    text = "Tasks have the colour of how they ended; below them is what held."
    if tables.believed:
        text = (
            "Tasks have the colour of how they ended. Below them, the upper half of a row is what held, the lower "
            "half what the robot believed, red where that was wrong."
        )
    more = f" {left} rows that change less are left out." if left else ""
    bands = " Bands in red are flaws." if flaws else ""
    return f"{text}{bands} Point at a bar.{more}"


def _listed(flaws: Sequence[Mark]) -> str:
    if not flaws:
        return ""
    headings = ["time", "flaw", "what happened"]
    rows = [
        [time_link(mark.span.from_ns), escape(mark.kind.replace("_", " ")), escape(mark.text)]
        for mark in flaws
    ]
    listed = table(headings, rows[:_MOST_FLAWS], number=0)
    rest = rows[_MOST_FLAWS:]
    return listed + (folded(f"{len(rest)} more", table(headings, rest, number=0)) if rest else "")
