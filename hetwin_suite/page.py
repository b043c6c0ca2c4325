"""Pages: what runs came to, as one HTML file that loads nothing; plots, pictures and films of a scene.

For example, a page of one plot and a table::

    from pathlib import Path

    from hetwin_suite.page import Document, card, figure, line, table

    document = Document()
    drawn = figure([line([0, 1, 2], [3, 1, 2], "cups", "#4477aa")], 300)
    body = card("Cups", "Over the day.", document.plot(drawn))
    body += card("Who", "", table(["name", "cups"], [["Ada", "3"]], number=1))
    Path("cups.html").write_text(document.html("Cups", body, "From the café's log."))

A section of one's own on the page of a run is an entry point, `hetwin.page_sections` ([packages](packages.md)).
"""

from __future__ import annotations

from hetwin_core.ensemble.sentences.catalogue import length
from hetwin_suite.view.film.film import Film
from hetwin_suite.view.palette import MAIN, SERIES, see_through
from hetwin_suite.view.report.document import Document, card, folded
from hetwin_suite.view.report.figure import Figure, band, figure, line, markers_at, numbers, thinned
from hetwin_suite.view.report.page import write_report
from hetwin_suite.view.report.plot import Plot, axis, over
from hetwin_suite.view.report.sections import table
from hetwin_suite.view.report.story.concerns import stored_concerns
from hetwin_suite.view.report.time_link import time_link
from hetwin_suite.view.show.filmed import filmed
from hetwin_suite.view.show.frame import go_to, player, whole
from hetwin_suite.view.stills.graphics import missing
from hetwin_suite.view.stills.stills import Moment, stills

__all__ = [
    "MAIN",
    "SERIES",
    "Document",
    "Figure",
    "Film",
    "Moment",
    "Plot",
    "axis",
    "band",
    "card",
    "figure",
    "filmed",
    "folded",
    "go_to",
    "length",
    "line",
    "markers_at",
    "missing",
    "numbers",
    "over",
    "player",
    "see_through",
    "stills",
    "stored_concerns",
    "table",
    "thinned",
    "time_link",
    "whole",
    "write_report",
]
