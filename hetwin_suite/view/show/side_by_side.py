"""The page of two films side by side, or of one as a ghost in the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hetwin_core.ensemble.words import seconds
from hetwin_suite.view.content import Content, Paragraph, Player, Section, Time
from hetwin_suite.view.document import Document, page_script
from hetwin_suite.view.film.film import Film


class Marked(NamedTuple):
    """A time that both time lines mark, and its caption."""

    time_ns: int
    words: str


def side_by_side(
    *,
    title: str,
    heading: str,
    tone: str,
    said: Sequence[Content],
    films: Sequence[Film],
    names: Sequence[str],
    moments: Sequence[Marked],
    introduced: str = "First differences: ",
    ghost: bool = False,
    more: Sequence[Section] = (),
) -> str:
    """Return the page: one file that loads nothing.

    Args:
        title: of the window.
        heading: above all.
        tone: of the first section.
        said: above the films.
        films: the two.
        names: of the runs.
        moments: that are marked.
        introduced: text before them.
        ghost: whether the second film is drawn as a ghost in the first one at first.
        more: further sections.

    Raises:
        BadInput: if the script of the pages has not been made.
    """
    page_script()
    ids = [f"film-{number}" for number in range(len(films))]
    first = [
        Time(at.time_ns, words=f"{seconds(at.time_ns)}: {at.words}", is_button=True)
        for at in moments
    ]
    marks = [Paragraph((introduced, *first), "first-differences")] if moments else []
    look = Section("", content=[*said, *marks, Player(ids, has_course=True)], kind=f"look {tone}")
    told = {
        "names": names,
        "first": [{"time": at.time_ns / 1e9, "text": at.words} for at in moments],
        "ghost": ghost,
    }
    played = dict(zip(ids, films, strict=True))
    return Document(title, [look, *more], heading=heading, films=played, comparison=told).html()
