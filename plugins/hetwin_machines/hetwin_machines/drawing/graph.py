"""What is placed: nodes with a size, and what follows each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from hetwin_machines.seeing.profile import Stay


class Shape(Enum):
    """How a node is drawn."""

    START = "start"
    STATE = "state"
    DECISION = "decision"
    FAN = "fan"
    """Where arcs part that have guards of their own."""
    ARC = "arc"
    HEXAGON = "hexagon"
    FAULT = "fault"


class Line(NamedTuple):
    """A line of text beside an arc, in a decision or a state.

    Attributes:
        kind: word (yes or no), guard, do, or name.
        text: of it.
    """

    kind: str
    text: str


@dataclass
class Node:
    """Something with a place. Lengths in pixels, x to the right, y down.

    Attributes:
        shape: of it.
        left: how far it reaches to the left of its axis.
        right: how far to the right.
        height: of it.
        lines: of text.
        word: yes or no, on the line that leads to it.
        below: what follows it, from left to right.
        to: state that an arc leads to; None for the top of the stack, and for what is no arc.
        arc: index of the arc; None for what is none.
        pops: bubbles at an arc's tail; `cycle.ALL_OF_IT` for a hexagon.
        pushes: names in the bubbles at its tip.
        count: how often it was gone through in a trace; None without one.
        is_last: whether the machine is there at the end of a trace.
        is_sink: whether no arc leaves it.
        title: shown when the pointer rests on it.
        x: of its axis.
        y: of its middle.
    """

    shape: Shape
    left: float = 0.0
    right: float = 0.0
    height: float = 0.0
    lines: tuple[Line, ...] = ()
    word: str = ""
    below: list[Node] = field(default_factory=list)
    to: str | None = None
    arc: int | None = None
    pops: int = 0
    pushes: tuple[str, ...] = ()
    count: int | None = None
    is_last: bool = False
    is_sink: bool = False
    title: str = ""
    x: float = 0.0
    y: float = 0.0

    @property
    def top(self) -> float:
        """Its upper end."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """Its lower end."""
        return self.y + self.height / 2


@dataclass
class Chart:
    """A machine as nodes.

    Attributes:
        start: what leads to the first state.
        initial: name of that state.
        states: by name, the first one first; their decisions and arcs are below them.
    """

    start: Node
    initial: str
    states: dict[str, Node]


@dataclass(frozen=True)
class Went:
    """What a machine did in a trace.

    Attributes:
        stays: how often and how long it was in its states, and which arcs it took.
        last: where it was at the end.
        faults: state, fault, cycle and reason of each fault that it got into.
    """

    stays: Mapping[str, Stay]
    last: str
    faults: tuple[tuple[str, str, int, str], ...]
