"""The section of the page."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.content import Content, Inline, Paragraph, Section, Time, listed
from hetwin_suite.view.report.course.drawing import Mark, drawn
from hetwin_suite.view.report.course.facts import facts

COURSE = "course"
TITLE = "What was done, what held, what was believed"
_MOST_FLAWS = 8


def course_card(tables: Tables, flaws: Sequence[Mark], trouble: str = "") -> Section | None:
    """Return the section; None if nothing was done and nothing changed.

    Args:
        tables: of the episode.
        flaws: by their beginning.
        trouble: what kept flaws from being found; empty if nothing did.
    """
    shown, left = facts(tables)
    if not (shown or tables.tasks or flaws):
        return None
    content: list[Content] = [drawn(tables, shown, flaws)]
    if flaws:
        rows: list[list[Inline]] = [
            [Time(mark.span.from_ns), mark.kind.replace("_", " "), mark.text] for mark in flaws
        ]
        content += listed(["time", "flaw", "what happened"], rows, _MOST_FLAWS, number=0)
    if trouble:
        content.append(Paragraph(trouble, "note"))
    return Section(TITLE, _how_to_read(tables, flaws, left), content, COURSE)


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
