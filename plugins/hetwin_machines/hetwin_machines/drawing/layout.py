"""Layout of a machine: each state with its decisions is a tree, the trees form rows, and lines run between the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.graph import Chart, Node, Shape

BETWEEN = 16.0
"""Distance between neighbours [px]."""
GAP = 30.0
"""Distance between a node and its successors, enough for a word [px]."""
TRACK, LANE = 11.0, 14.0
"""Height of a horizontal track between two rows, and width of a vertical lane on the left [px]."""
WIDEST = 1000.0
"""Maximum width of a row with several trees [px]."""
UNDER = 8.0
"""Distance of a loop below the nodes that it passes [px]."""

CLEAR = 4.0
"""Minimum distance between parallel lines [px]."""

Point = tuple[float, float]
Tracks = dict[tuple[int, str], float]
"""(row, state) -> y of the horizontal track above the row for all lines to the state."""


@dataclass
class Wire:
    """A line of horizontal and vertical segments.

    Attributes:
        points: begin, corners and end.
        count: number of passes in a trace; None without a trace.
        arrow: whether it ends in an arrowhead.
        is_fault: whether it leads to a fault.
    """

    points: list[Point]
    count: int | None
    arrow: bool = False
    is_fault: bool = False


@dataclass
class _Tree:
    """A state with its decisions and arcs; coordinates relative to the tree's upper left corner."""

    name: str
    root: Node
    nodes: list[Node]
    width: float
    row: int = 0

    @property
    def bottom(self) -> float:
        return max(node.bottom for node in self.nodes)


@dataclass
class Layout:
    """A machine with the positions of all its nodes.

    Attributes:
        nodes: all nodes.
        wires: lines between the nodes.
        width, height: size of the drawing [px].
    """

    nodes: list[Node] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


def lay_out(chart: Chart) -> Layout:
    """Return the layout of a machine; sets the positions of the chart's nodes."""
    trees = {name: _tree(name, root) for name, root in chart.states.items()}
    _fill_rows(list(trees.values()))
    lanes = {name: LANE * i for i, name in enumerate(_far(trees))}
    left = LANE * len(lanes) + BETWEEN
    tracks = _place_rows(trees, left, chart.start.height + GAP)
    first = trees[chart.initial].root
    chart.start.x, chart.start.y = first.x, chart.start.height / 2
    found = Layout([chart.start, *(node for tree in trees.values() for node in tree.nodes)])
    found.wires.append(_down(chart.start, first.x, first.top, arrow=True))
    for tree in trees.values():
        found.wires += [wire for node in tree.nodes for wire in _inside(node)]
        found.wires += [
            _outside(tree, node, trees[node.to], lanes, tracks) for node in tree.nodes if node.to
        ]
    found.width = max(node.x + node.right for node in found.nodes) + LANE
    turns = [point[1] for wire in found.wires for point in wire.points]
    found.height = max([*turns, *(node.bottom for node in found.nodes)])
    return found


def _tree(name: str, root: Node) -> _Tree:
    left, right = _spread(root)
    _set(root, left, 0.0)
    nodes = list(_all(root))
    loops = any(node.to == name for node in nodes)
    return _Tree(name, root, nodes, left + right + (LANE if loops else 0.0))


def _spread(node: Node) -> tuple[float, float]:
    """Set the x of a node's successors relative to its axis; return the subtree's extents to the left and right."""
    parts = [_spread(child) for child in node.below]
    axes: list[float] = []
    for i, (left, _) in enumerate(parts):
        axes.append(axes[-1] + parts[i - 1][1] + BETWEEN + left if i else left)
    if node.shape is Shape.DECISION:
        axes[1] = max(axes[1], axes[0] + 2 * node.left)
    middle = (axes[0] + axes[-1]) / 2 if axes else 0.0
    for child, axis in zip(node.below, axes, strict=True):
        child.x = axis - middle
    reach = [(left - c.x, right + c.x) for c, (left, right) in zip(node.below, parts, strict=True)]
    return max([node.left, *(a for a, _ in reach)]), max([node.right, *(b for _, b in reach)])


def _set(node: Node, x: float, top: float) -> None:
    node.x, node.y = node.x + x, top + node.height / 2
    for child in node.below:
        _set(child, node.x, node.bottom + GAP)


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.below:
        yield from _all(child)


def _fill_rows(trees: list[_Tree]) -> None:
    """Assign rows; a state that is a target of the present row starts a new one, so that lines lead downwards."""
    row, x, targets = 0, 0.0, set[str | None]()
    for tree in trees:
        if tree.name in targets or (x and x + tree.width > WIDEST):
            row, x, targets = row + 1, 0.0, set()
        tree.row = row
        x += tree.width + BETWEEN
        targets |= {node.to for node in tree.nodes if node.to != tree.name}


def _far(trees: Mapping[str, _Tree]) -> list[str]:
    """Return the states with incoming arcs from another row than the one above them."""
    far = {
        node.to
        for tree in trees.values()
        for node in tree.nodes
        if node.to not in (None, tree.name) and trees[node.to].row != tree.row + 1
    }
    return [name for name in trees if name in far]


def _place_rows(trees: Mapping[str, _Tree], left: float, top: float) -> Tracks:
    """Position the trees of each row; return the tracks of the lines between the rows."""
    used: dict[tuple[int, str], None] = {}
    for tree in trees.values():
        for node in tree.nodes:
            if node.to not in (None, tree.name):
                used |= dict.fromkeys([(tree.row + 1, node.to), (trees[node.to].row, node.to)])
    tracks: Tracks = {}
    y, ends = top, list[Node]()
    for row in range(max(tree.row for tree in trees.values()) + 2):
        for key in (key for key in used if key[0] == row):
            y += TRACK
            tracks[key] = y
        own = [tree for tree in trees.values() if tree.row == row]
        _shift(own, left, y + GAP, ends)
        ends = [node for tree in own for node in tree.nodes if node.to not in (None, tree.name)]
        y = max((tree.bottom for tree in own), default=y) + UNDER
    return tracks


def _shift(row: list[_Tree], x: float, y: float, ends: list[Node]) -> None:
    """Position the trees of a row.

    A state is placed straight below an arc that leads to it, if there is room, and never below another arc.
    """
    for tree in row:
        x = max(x, min((n.x - tree.root.x for n in ends if n.to == tree.name), default=x))
        while any(abs(n.x - tree.root.x - x) < CLEAR and n.to != tree.name for n in ends):
            x += CLEAR
        for node in tree.nodes:
            node.x, node.y = node.x + x, node.y + y
        x += tree.width + BETWEEN


def _down(node: Node, x: float, y: float, *, arrow: bool = False) -> Wire:
    middle = node.bottom + GAP / 2
    points = [(node.x, node.bottom), (node.x, middle), (x, middle), (x, y)]
    return Wire(points, node.count, arrow)


def _inside(node: Node) -> Iterator[Wire]:
    """Yield the lines from a node to its successors; lines of a decision begin at its corners."""
    corner = sizes.decision_size(node.lines)[0] / 2
    for i, child in enumerate(node.below):
        wire = _down(node, child.x, child.top)
        if node.shape is Shape.DECISION:
            begin = node.x + (corner if i else -corner)
            wire.points = [(begin, node.y), (child.x, node.y), (child.x, child.top)]
        wire.count, wire.is_fault = child.count, child.shape is Shape.FAULT
        wire.arrow = child.shape in (Shape.FAULT, Shape.HEXAGON)
        yield wire


def _outside(
    tree: _Tree,
    node: Node,
    to: _Tree,
    lanes: Mapping[str, float],
    tracks: Tracks,
) -> Wire:
    """Return the line from an arc to its target state."""
    state = to.root
    if to is tree:
        lane = max(each.x + each.right for each in tree.nodes) + LANE / 2
        low = max(each.bottom for each in tree.nodes if each.x + each.right > node.x) + UNDER
        turns = [(node.x, low), (lane, low), (lane, state.y), (state.x + state.right, state.y)]
        return Wire([(node.x, node.bottom), *turns], node.count, arrow=True)
    y, end = tracks[tree.row + 1, to.name], tracks[to.row, to.name]
    points = [(node.x, node.bottom), (node.x, y)]
    if to.row != tree.row + 1:
        points += [(lanes[to.name], y), (lanes[to.name], end)]
    return Wire([*points, (state.x, end), (state.x, state.top)], node.count, arrow=True)


def path_of(wire: Wire) -> str:
    """Return the SVG path of a line with round corners; it ends before the arrowhead."""
    points = [wire.points[0], *(b for a, b in pairwise(wire.points) if a != b)]
    if wire.arrow:
        x, y = points[-1]
        across, down = direction(points[-2], points[-1])
        points[-1] = (x - across * sizes.TIP, y - down * sizes.TIP)
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for before, (x, y), after in zip(points, points[1:], points[2:], strict=False):
        (a, b), (c, d) = direction(before, (x, y)), direction((x, y), after)
        near = [abs(x - p) + abs(y - q) for p, q in (before, after)]
        r = min(sizes.CORNER, *(length / 2 for length in near))
        parts.append(
            f"L{x - a * r:.1f} {y - b * r:.1f}Q{x:.1f} {y:.1f} {x + c * r:.1f} {y + d * r:.1f}"
        )
    return "".join([*parts, f"L{points[-1][0]:.1f} {points[-1][1]:.1f}"])


def direction(one: Point, two: Point) -> tuple[int, int]:
    """Return the direction of a segment: right or left as 1 or -1, and down or up as 1 or -1; otherwise 0."""
    return (two[0] > one[0]) - (two[0] < one[0]), (two[1] > one[1]) - (two[1] < one[1])
