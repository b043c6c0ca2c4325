"""Layout of a machine: each state with its decisions is a tree, the trees form rows, and lines run between the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.graph import Chart, Node, Shape

NEIGHBOUR_GAP = 16.0
"""Distance between neighbours [px]."""
SUCCESSOR_GAP = 30.0
"""Distance between a node and its successors, enough for a word [px]."""
TRACK, LANE = 11.0, 14.0
"""Height of a horizontal track between two rows, and width of a vertical lane on the left [px]."""
MAX_ROW_WIDTH = 1000.0
"""Maximum width of a row with several trees [px]."""
LOOP_GAP = 8.0
"""Distance of a loop below the nodes that it passes [px]."""

LINE_GAP = 4.0
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
    lanes = {name: LANE * i for i, name in enumerate(_distant_targets(trees))}
    left = LANE * len(lanes) + NEIGHBOUR_GAP
    tracks = _place_rows(trees, left, chart.start.height + SUCCESSOR_GAP)
    first = trees[chart.initial].root
    chart.start.x, chart.start.y = first.x, chart.start.height / 2
    layout = Layout([chart.start, *(node for tree in trees.values() for node in tree.nodes)])
    layout.wires.append(_vertical_wire(chart.start, first.x, first.top, arrow=True))
    for tree in trees.values():
        layout.wires += [wire for node in tree.nodes for wire in _child_wires(node)]
        layout.wires += [
            _arc_wire(tree, node, trees[node.to], lanes, tracks) for node in tree.nodes if node.to
        ]
    layout.width = max(node.x + node.right for node in layout.nodes) + LANE
    corner_ys = [point[1] for wire in layout.wires for point in wire.points]
    layout.height = max([*corner_ys, *(node.bottom for node in layout.nodes)])
    return layout


def _tree(name: str, root: Node) -> _Tree:
    left, right = _place_successors(root)
    _set_positions(root, left, 0.0)
    nodes = list(_descendants(root))
    loops = any(node.to == name for node in nodes)
    return _Tree(name, root, nodes, left + right + (LANE if loops else 0.0))


def _place_successors(node: Node) -> tuple[float, float]:
    """Set the x of a node's successors relative to its axis; return the subtree's extents to the left and right."""
    parts = [_place_successors(child) for child in node.children]
    axes: list[float] = []
    for i, (left, _) in enumerate(parts):
        axes.append(axes[-1] + parts[i - 1][1] + NEIGHBOUR_GAP + left if i else left)
    if node.shape is Shape.DECISION:
        axes[1] = max(axes[1], axes[0] + 2 * node.left)
    middle = (axes[0] + axes[-1]) / 2 if axes else 0.0
    for child, axis in zip(node.children, axes, strict=True):
        child.x = axis - middle
    extents = [
        (left - c.x, right + c.x) for c, (left, right) in zip(node.children, parts, strict=True)
    ]
    return max([node.left, *(a for a, _ in extents)]), max([node.right, *(b for _, b in extents)])


def _set_positions(node: Node, x: float, top: float) -> None:
    node.x, node.y = node.x + x, top + node.height / 2
    for child in node.children:
        _set_positions(child, node.x, node.bottom + SUCCESSOR_GAP)


def _descendants(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _descendants(child)


def _fill_rows(trees: list[_Tree]) -> None:
    """Assign rows; a state that is a target of the present row starts a new one, so that lines lead downwards."""
    row, x, targets = 0, 0.0, set[str | None]()
    for tree in trees:
        if tree.name in targets or (x and x + tree.width > MAX_ROW_WIDTH):
            row, x, targets = row + 1, 0.0, set()
        tree.row = row
        x += tree.width + NEIGHBOUR_GAP
        targets |= {node.to for node in tree.nodes if node.to != tree.name}


def _distant_targets(trees: Mapping[str, _Tree]) -> list[str]:
    """Return the states with incoming arcs from another row than the one above them."""
    targets = {
        node.to
        for tree in trees.values()
        for node in tree.nodes
        if node.to not in (None, tree.name) and trees[node.to].row != tree.row + 1
    }
    return [name for name in trees if name in targets]


def _place_rows(trees: Mapping[str, _Tree], left: float, top: float) -> Tracks:
    """Position the trees of each row; return the tracks of the lines between the rows."""
    used: dict[tuple[int, str], None] = {}
    for tree in trees.values():
        for node in tree.nodes:
            if node.to not in (None, tree.name):
                used |= dict.fromkeys([(tree.row + 1, node.to), (trees[node.to].row, node.to)])
    tracks: Tracks = {}
    y, arc_tips = top, list[Node]()
    for row in range(max(tree.row for tree in trees.values()) + 2):
        for key in (key for key in used if key[0] == row):
            y += TRACK
            tracks[key] = y
        row_trees = [tree for tree in trees.values() if tree.row == row]
        _place_row(row_trees, left, y + SUCCESSOR_GAP, arc_tips)
        arc_tips = [
            node for tree in row_trees for node in tree.nodes if node.to not in (None, tree.name)
        ]
        y = max((tree.bottom for tree in row_trees), default=y) + LOOP_GAP
    return tracks


def _place_row(row: list[_Tree], x: float, y: float, arc_tips: list[Node]) -> None:
    """Position the trees of a row.

    A state is placed straight below an arc that leads to it, if there is room, and never below another arc.
    """
    for tree in row:
        x = max(x, min((n.x - tree.root.x for n in arc_tips if n.to == tree.name), default=x))
        while any(abs(n.x - tree.root.x - x) < LINE_GAP and n.to != tree.name for n in arc_tips):
            x += LINE_GAP
        for node in tree.nodes:
            node.x, node.y = node.x + x, node.y + y
        x += tree.width + NEIGHBOUR_GAP


def _vertical_wire(node: Node, x: float, y: float, *, arrow: bool = False) -> Wire:
    middle = node.bottom + SUCCESSOR_GAP / 2
    points = [(node.x, node.bottom), (node.x, middle), (x, middle), (x, y)]
    return Wire(points, node.count, arrow)


def _child_wires(node: Node) -> Iterator[Wire]:
    """Yield the lines from a node to its successors; lines of a decision begin at its corners."""
    corner = sizes.decision_size(node.lines)[0] / 2
    for i, child in enumerate(node.children):
        wire = _vertical_wire(node, child.x, child.top)
        if node.shape is Shape.DECISION:
            begin = node.x + (corner if i else -corner)
            wire.points = [(begin, node.y), (child.x, node.y), (child.x, child.top)]
        wire.count, wire.is_fault = child.count, child.shape is Shape.FAULT
        wire.arrow = child.shape in (Shape.FAULT, Shape.HEXAGON)
        yield wire


def _arc_wire(
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
        bottom = max(each.bottom for each in tree.nodes if each.x + each.right > node.x) + LOOP_GAP
        corners = [
            (node.x, bottom),
            (lane, bottom),
            (lane, state.y),
            (state.x + state.right, state.y),
        ]
        return Wire([(node.x, node.bottom), *corners], node.count, arrow=True)
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
        dx, dy = direction(points[-2], points[-1])
        points[-1] = (x - dx * sizes.ARROW_LENGTH, y - dy * sizes.ARROW_LENGTH)
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for before, (x, y), after in zip(points, points[1:], points[2:], strict=False):
        (a, b), (c, d) = direction(before, (x, y)), direction((x, y), after)
        lengths = [abs(x - p) + abs(y - q) for p, q in (before, after)]
        r = min(sizes.CORNER, *(length / 2 for length in lengths))
        parts.append(
            f"L{x - a * r:.1f} {y - b * r:.1f}Q{x:.1f} {y:.1f} {x + c * r:.1f} {y + d * r:.1f}"
        )
    return "".join([*parts, f"L{points[-1][0]:.1f} {points[-1][1]:.1f}"])


def direction(begin: Point, end: Point) -> tuple[int, int]:
    """Return the direction of a segment: right or left as 1 or -1, and down or up as 1 or -1; otherwise 0."""
    return (end[0] > begin[0]) - (end[0] < begin[0]), (end[1] > begin[1]) - (end[1] < begin[1])
