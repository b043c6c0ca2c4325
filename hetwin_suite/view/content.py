"""Content of a page: sections with text, tables, lists, figures and pictures.

Content is data, which `Document` renders as HTML; text is escaped. For example::

    Section("Joints", "Travel of each joint.", [Table(["joint", "travel"], [["elbow", "0.31 rad"]])])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hetwin_suite.view.figures import Figure

TIMELINE = "timeline"
"""Name of the section to which times link."""


@dataclass(frozen=True, slots=True)
class Time:
    """A time; clicking it shows this time in the scene and in all plots.

    Attributes:
        time_ns: simulated time [ns].
        digits: number of decimals of the shown seconds.
        words: text shown instead of the seconds.
        is_button: whether it is rendered as a button; otherwise as a link to the time line.
    """

    time_ns: int
    digits: int = 2
    words: str = ""
    is_button: bool = False

    @property
    def seconds(self) -> str:
        """The time as the page's script reads it [s]."""
        return f"{self.time_ns / 1e9:.9g}"


@dataclass(frozen=True, slots=True)
class Strong:
    """Emphasized text; `tone` is its CSS class, such as ``good``."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Text or a time in a subdued style; `kind` is its CSS class."""

    content: Inline
    kind: str = "note"


@dataclass(frozen=True, slots=True)
class Code:
    """A name in monospace: a file, a key, a digest."""

    text: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A name with its colour, ``#rrggbb``."""

    text: str
    colour: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file in the folder of the page."""

    address: str
    text: str


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines below each other within a cell."""

    lines: Sequence[Inline]


Inline: TypeAlias = (
    "str | Time | Strong | Quiet | Code | Chip | Link | Lines | Fold | tuple[Inline, ...]"
)
"""Content of a line or a cell; the items of a tuple are concatenated."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; `kind` is its CSS class."""

    content: Inline
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Items:
    """A list.

    Attributes:
        items: the items.
        kind: CSS class of the list.
        tones: CSS class of each item; empty for none.
    """

    items: Sequence[Inline]
    kind: str = ""
    tones: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        headings: headings of the columns.
        rows: the cells of each row.
        number: index of the right-aligned column; -1 for none.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Inline]]
    number: int = -1


@dataclass(frozen=True, slots=True)
class Fold:
    """Collapsed content that opens when its title is clicked."""

    title: str
    content: Content


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section, and its content."""

    text: str
    content: Sequence[Content] = ()
    level: int = 3


@dataclass(frozen=True, slots=True)
class Grid:
    """Headings with their content, side by side if there is room."""

    cells: Sequence[Heading]


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts: (name, value, whether it takes the whole width)."""

    facts: Sequence[tuple[str, Inline, bool]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG image in base64, and its caption."""

    png: str
    words: str


@dataclass(frozen=True, slots=True)
class Card:
    """Pictures with a title and text below them.

    Attributes:
        title: title of the card, plain text.
        tone: ``good``, ``warned`` or ``bad``.
        pictures: pictures, side by side.
        content: content below the title.
    """

    title: str
    tone: str
    pictures: Sequence[Picture]
    content: Sequence[Content]


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards side by side."""

    cards: Sequence[Card]


@dataclass(frozen=True, slots=True)
class Player:
    """The player of a page's films.

    Attributes:
        films: ids of the elements that contain the films.
        first_ns: simulated time that is shown first [ns]; None: the beginning.
        has_course: whether time lines are shown below it.
        places: times to jump to, with their captions.
        why_not: why the films cannot be played; empty if they can.
    """

    films: Sequence[str] = ("film-0",)
    first_ns: int | None = None
    has_course: bool = False
    places: Sequence[Time] = ()
    why_not: str = ""

    @property
    def first(self) -> str:
        """The time that is shown first, as the page's script reads it [s]; empty for the beginning."""
        return "" if self.first_ns is None else Time(self.first_ns).seconds


@dataclass(frozen=True, slots=True)
class Course:
    """The time line of a page's first film."""


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The outcome of a run, shown next to the player.

    Attributes:
        tone: ``good``, ``warned`` or ``bad``.
        marks: the outcome in a few words.
        text: sentence about the outcome.
        more: further lines.
        player: player of the run; None for none.
        details: content below.
    """

    tone: str
    marks: Sequence[Strong]
    text: str
    more: Sequence[Inline]
    player: Player | None
    details: Content


Content: TypeAlias = (
    "Inline | Paragraph | Items | Table | Heading | Grid | Facts | Cards | Player | Course | Figure"
    " | FirstScreen | Section | Sequence[Content]"
)
"""Content of a section."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page.

    Attributes:
        title: title; empty for none.
        note: a sentence on how to read it; empty for none.
        content: content of the section.
        name: anchor for links; empty for none.
        kind: further CSS classes.
    """

    title: str
    note: str = ""
    content: Content = ()
    name: str = ""
    kind: str = ""


def listed(
    headings: Sequence[str],
    rows: Sequence[Sequence[Inline]],
    most: int,
    number: int = -1,
    more: str = "{} more",
) -> list[Content]:
    """Return a table of the first rows, and a collapsed one of the others.

    Args:
        headings: headings of the columns.
        rows: the cells of each row.
        most: maximum number of rows in the first table.
        number: index of the right-aligned column; -1 for none.
        more: title of the collapsed table; ``{}`` is the number of its rows.
    """
    others = Fold(more.format(len(rows) - most), Table(headings, rows[most:], number))
    return [Table(headings, rows[:most], number), *([others] if len(rows) > most else [])]


__all__ = [
    *("TIMELINE", "Card", "Cards", "Chip", "Code", "Content", "Course", "Facts", "Figure"),
    *(
        "FirstScreen",
        "Fold",
        "Grid",
        "Heading",
        "Inline",
        "Items",
        "Lines",
        "Link",
        "Paragraph",
        "Picture",
        "Player",
    ),
    *("Quiet", "Section", "Strong", "Table", "Time", "listed"),
]
