"""The nodes of a drawing: sizes, positions and successors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from hetwin_machines.observation.profile import StateStatistics


class Shape(Enum):
    """Shapes of nodes."""

    START = "start"
    STATE = "state"
    DECISION = "decision"
    FAN = "fan"
    """Branching point of arcs with separate guards."""
    ARC = "arc"
    HEXAGON = "hexagon"
    FAULT = "fault"


class Line(NamedTuple):
    """A line of text beside an arc, in a decision or a state.

    Attributes:
        kind: ``word`` (yes or no), ``guard``, ``do``, or ``name``.
        text: text of the line.
    """

    kind: str
    text: str


@dataclass
class Node:
    """A node of a drawing. Lengths in pixels, x to the right, y down.

    Attributes:
        shape: shape of the node.
        left: extent to the left of its axis.
        right: extent to the right of its axis.
        height: height.
        lines: lines of text.
        word: ``yes`` or ``no`` on the line that leads to it.
        children: successors, from left to right.
        to: state to which an arc leads; None for the top of the stack, and for other nodes.
        arc: index of the arc; None for other nodes.
        pops: number of bubbles at an arc's tail; `cycle.POP_ALL` for a hexagon.
        pushes: names in the bubbles at an arc's tip.
        count: number of passes in a trace; None without a trace.
        is_last: whether the machine is in this state at the end of a trace.
        is_sink: whether no arc leaves this state.
        title: tooltip.
        x: x of its axis.
        y: y of its middle.
    """

    shape: Shape
    left: float = 0.0
    right: float = 0.0
    height: float = 0.0
    lines: tuple[Line, ...] = ()
    word: str = ""
    children: list[Node] = field(default_factory=list)
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
        """Y of its upper edge."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """Y of its lower edge."""
        return self.y + self.height / 2


@dataclass
class Chart:
    """A machine as nodes.

    Attributes:
        start: node of the start marker.
        initial: name of the initial state.
        states: name -> node, the initial state first; decisions and arcs are below the nodes.
    """

    start: Node
    initial: str
    states: dict[str, Node]


@dataclass(frozen=True)
class MachineTrace:
    """Summary of a machine's trace.

    Attributes:
        stays: state -> visits, cycles and arcs taken.
        last: state at the end.
        faults: state, fault, cycle and reason of each fault.
    """

    stays: Mapping[str, StateStatistics]
    last: str
    faults: tuple[tuple[str, str, int, str], ...]
