"""Content of a page: sections, and in them text, tables, lists, figures and pictures.

It is data: a page's templates write it as HTML (`Document`), and whatever is text here is text there. For example::

    Section("Joints", "How far each has moved.", [Table(["joint", "way"], [["elbow", "0.31 rad"]])])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hetwin_suite.view.figures import Figure

TIMELINE = "timeline"
"""Name of the section that times link to."""


@dataclass(frozen=True, slots=True)
class Time:
    """A time that shows itself in the scene and in all plots when one clicks it.

    Attributes:
        time_ns: simulated time.
        digits: of the seconds that are shown.
        words: shown instead of the seconds.
        is_button: whether it is one; else it is a link to the time line.
    """

    time_ns: int
    digits: int = 2
    words: str = ""
    is_button: bool = False

    @property
    def seconds(self) -> str:
        """As the page's script reads it [s]."""
        return f"{self.time_ns / 1e9:.9g}"


@dataclass(frozen=True, slots=True)
class Strong:
    """Text that stands out; `tone` is its class, such as ``good``."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Text or a time that stands back."""

    content: Inline
    kind: str = "note"


@dataclass(frozen=True, slots=True)
class Code:
    """A name as a computer reads it: of a file, a key, a digest."""

    text: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A name with its colour, ``#rrggbb``."""

    text: str
    colour: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file beside the page."""

    address: str
    text: str


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines below each other, within a cell."""

    lines: Sequence[Inline]


Inline: TypeAlias = (
    "str | Time | Strong | Quiet | Code | Chip | Link | Lines | Fold | tuple[Inline, ...]"
)
"""Content of a line or a cell; a tuple is one after the other."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; `kind` is its class."""

    content: Inline
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Items:
    """A list; `kind` is its class. An item may be a tone and its content."""

    items: Sequence[Inline]
    kind: str = ""
    tones: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        headings: of the columns.
        rows: their cells.
        number: the column that is aligned to the right; -1 for none.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Inline]]
    number: int = -1


@dataclass(frozen=True, slots=True)
class Fold:
    """Content that opens when its title is clicked."""

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
    """Headings with their content, side by side where there is room."""

    cells: Sequence[Heading]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and their values; a wide one has a line of its own."""

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
        title: plain text.
        tone: ``good``, ``warned`` or ``bad``.
        pictures: side by side.
        content: below the title.
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
    """Where the films of a page play.

    Attributes:
        films: ids of the elements that hold them.
        first_ns: the time that is shown at first; None: the beginning.
        has_course: whether time lines are below it.
        places: times to go to, and their captions.
        why_not: why nothing plays; empty if it does.
    """

    films: Sequence[str] = ("film-0",)
    first_ns: int | None = None
    has_course: bool = False
    places: Sequence[Time] = ()
    why_not: str = ""

    @property
    def first(self) -> str:
        """The time that is shown at first [s], as the page's script reads it; may be empty."""
        return "" if self.first_ns is None else Time(self.first_ns).seconds


@dataclass(frozen=True, slots=True)
class Course:
    """Where the time line of a page's first film is."""


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The outcome of a run, beside where it plays.

    Attributes:
        tone: ``good``, ``warned`` or ``bad``.
        marks: summary at a glance.
        text: of the outcome.
        more: further lines.
        player: where it plays; None if nothing does.
        told: content below.
    """

    tone: str
    marks: Sequence[Strong]
    text: str
    more: Sequence[Inline]
    player: Player | None
    told: Content


Content: TypeAlias = (
    "Inline | Paragraph | Items | Table | Heading | Grid | Facts | Cards | Player | Course | Figure"
    " | FirstScreen | Section | Sequence[Content]"
)
"""Content of a section."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page.

    Attributes:
        title: empty for none.
        note: a sentence on how to read it; empty for none.
        content: of it.
        name: to link to; empty for none.
        kind: further classes.
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
    """A table with the first rows, and one with the rest that opens."""
    rest = Fold(more.format(len(rows) - most), Table(headings, rows[most:], number))
    return [Table(headings, rows[:most], number), *([rest] if len(rows) > most else [])]


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
