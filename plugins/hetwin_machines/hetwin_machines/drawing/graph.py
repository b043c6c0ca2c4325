"""What is placed: nodes with a size, and edges from one to the next lower layer or back up."""

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
    BRANCH = "branch"
    """Yes or no, on the way from one decision to the next."""
    FAN = "fan"
    """Where arcs part that have guards of their own."""
    TURN = "turn"
    """Where a loop turns."""
    ARC = "arc"
    HEXAGON = "hexagon"
    FAULT = "fault"
    BEND = "bend"
    """Where a long edge crosses a layer."""


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
        arc: index of the arc that it belongs to; None if it belongs to none.
        pops: bubbles at an arc's tail; `cycle.ALL_OF_IT` for a hexagon.
        pushes: names in the bubbles at its tip.
        upward: whether the arc leads up.
        mirrored: whether its text is on the left of its line.
        count: how often it was gone through in a trace; None without one.
        is_last: whether the machine is there at the end of a trace.
        is_sink: whether no arc leaves it.
        title: shown when the pointer rests on it.
        x: of its axis.
        y: of its middle.
        layer: from 0, at the top.
    """

    shape: Shape
    left: float = 0.0
    right: float = 0.0
    height: float = 0.0
    lines: tuple[Line, ...] = ()
    arc: int | None = None
    pops: int = 0
    pushes: tuple[str, ...] = ()
    upward: bool = False
    mirrored: bool = False
    count: int | None = None
    is_last: bool = False
    is_sink: bool = False
    title: str = ""
    x: float = 0.0
    y: float = 0.0
    layer: int = 0

    def mirror(self) -> None:
        """Put its text on the other side of its line."""
        self.mirrored = not self.mirrored
        self.left, self.right = self.right, self.left

    @property
    def top(self) -> float:
        """Its upper end."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """Its lower end."""
        return self.y + self.height / 2


@dataclass
class Edge:
    """A line from one node to another.

    Attributes:
        tail: index of the node where it begins.
        tip: index of the node where it ends.
        upward: whether the tip is in a layer above the tail's.
        arrow: whether it ends in an arrowhead.
        count: how often it was gone in a trace; None without one.
        is_fault: whether it leads to a fault.
        bends: indices of the nodes that it goes through, from tail to tip.
    """

    tail: int
    tip: int
    upward: bool = False
    arrow: bool = False
    count: int | None = None
    is_fault: bool = False
    bends: list[int] = field(default_factory=list)


@dataclass
class Graph:
    """A machine as nodes and edges.

    Attributes:
        nodes: all of them.
        edges: between them.
        above: pairs of nodes of which the first lies above the second, though no edge joins them.
    """

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    above: list[tuple[int, int]] = field(default_factory=list)

    def add(self, node: Node) -> int:
        """Add a node; return its index."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def join(self, tail: int, tip: int, **options: bool | int | None) -> None:
        """Add an edge."""
        self.edges.append(Edge(tail, tip, **options))  # type: ignore[arg-type]


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
