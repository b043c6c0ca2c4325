"""Pages: results of runs as one self-contained HTML file; plots and films of a scene.

A page is built from sections with content; all texts are plain text and are escaped::

    from pathlib import Path

    from hetwin_suite.page import Axis, Chart, Document, Line, Panel, Section, Table

    line = Line("cups", [0.0, 1.0, 2.0], [3.0, 1.0, 2.0], "#4477aa")
    sections = [
        Section("Cups", "Over the day.", Chart([Panel([line], Axis("cups"))], (0.0, 2.0))),
        Section("Who", content=Table(["name", "cups"], [["Ada", "3"]], number=1)),
    ]
    Path("cups.html").write_text(Document("The café", sections).html(), encoding="utf-8")

An entry point of the group `hetwin.page_sections` ([packages](packages.md)) adds a section to the page of each run: a
function of an episode that returns a `Section`, or None.
"""

from __future__ import annotations

from hetwin_core.ensemble.sentences.catalogue import length
from hetwin_suite.view.content import (
    Card,
    Cards,
    Chip,
    Code,
    Content,
    Fold,
    Grid,
    Heading,
    Inline,
    Items,
    Lines,
    Link,
    Paragraph,
    Picture,
    Quiet,
    Section,
    Strong,
    Table,
    Time,
    listed,
)
from hetwin_suite.view.document import Document, MarkedTime, side_by_side
from hetwin_suite.view.figures import (
    Axis,
    Bar,
    Chart,
    Line,
    LineStyle,
    Panel,
    PointStyle,
    Rows,
    Tint,
    lines_over,
    time_span,
)
from hetwin_suite.view.film.film import Body, Film, Layer, Part, Scene
from hetwin_suite.view.film.from_episode import film_of
from hetwin_suite.view.layers import film_with_layers
from hetwin_suite.view.palette import MAIN, SERIES
from hetwin_suite.view.report.page import PlayerWithFilms, playing_film, write_report
from hetwin_suite.view.report.story.events import stored_concerns

__all__ = [
    "MAIN",
    "SERIES",
    "Axis",
    "Bar",
    "Body",
    "Card",
    "Cards",
    "Chart",
    "Chip",
    "Code",
    "Content",
    "Document",
    "Film",
    "Fold",
    "Grid",
    "Heading",
    "Inline",
    "Items",
    "Layer",
    "Line",
    "LineStyle",
    "Lines",
    "Link",
    "MarkedTime",
    "Panel",
    "Paragraph",
    "Part",
    "Picture",
    "PlayerWithFilms",
    "PointStyle",
    "Quiet",
    "Rows",
    "Scene",
    "Section",
    "Strong",
    "Table",
    "Time",
    "Tint",
    "film_of",
    "film_with_layers",
    "length",
    "lines_over",
    "listed",
    "playing_film",
    "side_by_side",
    "stored_concerns",
    "time_span",
    "write_report",
]
