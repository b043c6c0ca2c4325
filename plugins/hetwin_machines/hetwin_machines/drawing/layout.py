"""Places a machine: each state with its decisions as a tree, the trees in rows, and lines between the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.graph import Chart, Node, Shape

BETWEEN = 16.0
"""Room between neighbours."""
GAP = 30.0
"""Room between a node and what follows it, in which a word fits."""
TRACK, LANE = 11.0, 14.0
"""Room of a line that leads across, between two rows, and of one that leads up or down, on the left."""
WIDEST = 1000.0
"""A row with several trees is not wider."""
UNDER = 8.0
"""How far below what it passes a loop turns."""

CLEAR = 4.0
"""Least distance between lines beside each other."""

Point = tuple[float, float]
Tracks = dict[tuple[int, str], float]
"""Row and state -> y above the row at which all lines to the state lead across."""


@dataclass
class Wire:
    """A line, in straight pieces that lead across, up or down.

    Attributes:
        points: where it begins, turns and ends.
        count: how often it was gone in a trace; None without one.
        arrow: whether it ends in an arrowhead.
        is_fault: whether it leads to a fault.
    """

    points: list[Point]
    count: int | None
    arrow: bool = False
    is_fault: bool = False


@dataclass
class _Tree:
    """A state with what follows it; lengths from its own left edge and top."""

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
    """A machine with places for all its nodes.

    Attributes:
        nodes: all of them.
        wires: the lines between them.
        width, height: of all.
    """

    nodes: list[Node] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


def lay_out(chart: Chart) -> Layout:
    """Return a machine with places for all its nodes."""
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
    """Set x of what follows a node, from its axis; return how far all of it reaches to the left and to the right."""
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
    """Set the rows: a state to which one of the row leads begins the next one, so that lines lead down."""
    row, x, led = 0, 0.0, set[str | None]()
    for tree in trees:
        if tree.name in led or (x and x + tree.width > WIDEST):
            row, x, led = row + 1, 0.0, set()
        tree.row = row
        x += tree.width + BETWEEN
        led |= {node.to for node in tree.nodes if node.to != tree.name}


def _far(trees: Mapping[str, _Tree]) -> list[str]:
    """The states to which arcs lead from elsewhere than the row above them."""
    far = {
        node.to
        for tree in trees.values()
        for node in tree.nodes
        if node.to not in (None, tree.name) and trees[node.to].row != tree.row + 1
    }
    return [name for name in trees if name in far]


def _place_rows(trees: Mapping[str, _Tree], left: float, top: float) -> Tracks:
    """Move the trees of each row to their places; return the tracks of the lines between the rows."""
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
    """Move the trees of a row to their places.

    A state is straight below an arc that leads to it, if there is room, and never below one that leads elsewhere.
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
    """The lines from a node to what follows it; from a decision they begin at its corners."""
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
    """The line from an arc to the state that it leads to."""
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
    """Return the path of a line with round corners, as SVG has it; an arrowhead has room at its end."""
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
    """Return whether a straight piece leads to the right or left (1, -1), and down or up."""
    return (two[0] > one[0]) - (two[0] < one[0]), (two[1] > one[1]) - (two[1] < one[1])
