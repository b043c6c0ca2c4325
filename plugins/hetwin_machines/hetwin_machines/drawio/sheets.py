"""A drawing as stored by draw.io: sheets with shapes, and wires between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """Kinds of shapes, by their style; states and bubbles are both circles."""

    CIRCLE = "circle"
    DIAMOND = "diamond"
    HEXAGON = "hexagon"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Box:
    """Upper left corner and size of a shape [pixels]."""

    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape on a sheet.

    Attributes:
        id: unique on its sheet.
        kind: kind of the shape.
        label: as in the file, including HTML.
        box: position and size.
        style: in the notation of draw.io.
        on: id of the wire whose label this shape is; empty if it is not a label.
    """

    id: str
    kind: Kind
    label: str
    box: Box
    style: str
    on: str = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """A line from one shape to another.

    Attributes:
        id: unique on its sheet.
        source: id of the shape at its tail; empty if there is none.
        target: id of the shape at its tip; empty if there is none.
        label: as in the file, including HTML.
        points: (name, x, y) of its corners, whose name is empty, and of the ends that draw.io stores.
        style: in the notation of draw.io.
    """

    id: str
    source: str
    target: str
    label: str
    points: tuple[tuple[str, float, float], ...]
    style: str

    @property
    def is_bold(self) -> bool:
        """Whether it is drawn with a thick line, as the arc to the initial state is."""
        width = style_of(self.style).get("strokeWidth", "1")
        return width.replace(".", "", 1).isdigit() and float(width) >= 2.0


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page of a drawing, with one machine or only notes.

    Attributes:
        name: name of the page and of its machine.
        shapes: shapes in the order of the file.
        wires: wires in the order of the file.
    """

    name: str
    shapes: tuple[Shape, ...]
    wires: tuple[Wire, ...]


def style_of(text: str) -> Mapping[str, str]:
    """Return the settings of a style; the value of a word without a value is the word itself."""
    parts = (part.partition("=") for part in text.split(";") if part.strip())
    return {name.strip(): value or name for name, _, value in parts}
