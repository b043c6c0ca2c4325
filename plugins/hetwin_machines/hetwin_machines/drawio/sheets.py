"""A drawing as draw.io has it: sheets with shapes, and wires between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a shape is, by its style; a bubble is a circle that only its place tells from a state."""

    CIRCLE = "circle"
    DIAMOND = "diamond"
    HEXAGON = "hexagon"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Box:
    """Where something is drawn, in pixels: its upper left corner, and its size."""

    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Something with a place.

    Attributes:
        id: of it, unique on its sheet.
        kind: what it is.
        label: as it stands in the file, HTML included.
        box: where it is.
        style: as draw.io has it.
        on: id of the wire beside which a label stands; empty: it is no label of a wire.
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
        id: of it.
        source: id of the shape at its tail; empty: it begins at none.
        target: id of the shape at its tip; empty: it ends at none.
        label: as it stands in the file.
        points: where it turns, and what draw.io keeps of its ends, as ``name -> x, y``.
        style: as draw.io has it.
    """

    id: str
    source: str
    target: str
    label: str
    points: tuple[tuple[str, float, float], ...]
    style: str

    @property
    def is_bold(self) -> bool:
        """Whether it is drawn with a thick line, as the arc to the first state is."""
        width = style_of(self.style).get("strokeWidth", "1")
        return width.replace(".", "", 1).isdigit() and float(width) >= 2.0


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page of a drawing: a machine, or notes alone.

    Attributes:
        name: of the page, and of the machine.
        shapes: in the order of the file.
        wires: in the order of the file.
    """

    name: str
    shapes: tuple[Shape, ...]
    wires: tuple[Wire, ...]


def style_of(text: str) -> Mapping[str, str]:
    """Return the settings of a style; a word without a value stands for itself."""
    parts = (part.partition("=") for part in text.split(";") if part.strip())
    return {name.strip(): value or name for name, _, value in parts}
