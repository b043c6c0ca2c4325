"""Gives nodes their places: lines as straight as the room that all need lets them be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import takewhile

from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.graph import Graph, Node, Shape
from hetwin_machines.drawing.layers import Segment, segments_of

BETWEEN = 16.0
"""Room between neighbours."""
GAP = 24.0
"""Room between layers, where lines lead sideways."""
ROUNDS, SWEEPS = 10, 12
SETTLED = 0.2
"""Nodes have found their places when none moves further in a sweep."""
STIFF, BENT, LOOSE = 8.0, 4.0, 0.3
"""How much a piece of a line wants to be straight: of a long one, of one that leads down, of one that leads up."""
FORK = 14.0
"""How much further out the second of two lines turns that leave a decision at one corner."""
NEARLY = 14.0
"""A line whose bends differ by less becomes straight."""


class Places:
    """Places of the nodes, and where lines begin and end at them.

    Args:
        graph: whose nodes are placed.
        layers: its nodes from left to right, from top to bottom.

    Attributes:
        offsets: of each piece of a line, how far right of its upper and of its lower node's axis it ends.
        width: of all.
        height: of all.
    """

    def __init__(self, graph: Graph, layers: list[list[int]]) -> None:
        self._nodes = graph.nodes
        self._layers = layers
        self._order = {node: at for layer in layers for at, node in enumerate(layer)}
        self._segments = list(dict.fromkeys(segments_of(graph)))
        self._upward = {
            piece
            for edge in graph.edges
            if edge.upward
            for piece in segments_of(Graph(graph.nodes, [edge]))
        }
        self._above: dict[int, list[int]] = {index: [] for index in self._order}
        self._below: dict[int, list[int]] = {index: [] for index in self._order}
        for upper, lower in sorted(
            self._segments, key=lambda s: (self._order[s[0]], self._order[s[1]])
        ):
            self._above[lower].append(upper)
            self._below[upper].append(lower)
        self._mirror()
        self.offsets: dict[Segment, tuple[float, float]] = {}
        for upper, lower in self._segments:
            self.offsets[upper, lower] = (self._port(upper, lower), self._port(lower, upper))
        self._pack()
        for _ in range(ROUNDS):
            self._across()
            self._shift_ports()
        for edge in graph.edges:
            self._straighten(edge.bends)
        self._to_the_left()
        self.tops: list[float] = []
        self.bottoms: list[float] = []
        self._down()
        self.width = max((n.x + n.right for n in self._nodes), default=0.0)
        self.height = self.bottoms[-1]

    def _mirror(self) -> None:
        """Let what is on the left of a decision have its text on the left."""
        for index, node in enumerate(self._nodes):
            if node.shape not in (Shape.DECISION, Shape.FAN, Shape.TURN):
                continue
            above, below = self._near(index, below=False), self._near(index, below=True)
            inward = next(i for i in above if not self._nodes[i].upward)
            left = above[: above.index(inward)]
            left += below[:1] if len(below) == 2 and node.shape is Shape.DECISION else []
            for other in left:
                self._nodes[other].mirror()

    def _port(self, index: int, other: int) -> float:
        """Where a line from another node reaches this one."""
        node, below = self._nodes[index], self._nodes[other].layer > self._nodes[index].layer
        near = self._near(index, below=below)
        if node.shape is Shape.STATE and len(near) > 1:
            step = min(22.0, (node.left + node.right - 24) / (len(near) - 1))
            return (near.index(other) - (len(near) - 1) / 2) * step
        if node.shape is Shape.DECISION:
            return self._corner(index, other, near, below=below)
        if (
            node.shape in (Shape.FAN, Shape.TURN)
            and not below
            and len(near) > 1
            and self._nodes[other].upward
        ):
            inward = [i for i in near if not self._nodes[i].upward]
            aside = sizes.ASIDE
            return aside if near.index(other) > near.index(inward[0]) else -aside
        return 0.0

    def _corner(self, index: int, other: int, near: list[int], *, below: bool) -> float:
        """The corner of a decision where a line begins; what leads up begins at a side."""
        side = self._nodes[index].right - 2
        if below:
            return 0.0 if len(near) == 1 else (-side if near.index(other) == 0 else side)
        upward = [i for i in near if self._nodes[i].upward]
        if other not in upward:
            return 0.0
        inward = next(i for i in near if i not in upward)
        at = near.index(inward)
        if near.index(upward[0]) > at or near.index(upward[-1]) < at:  # all on one side
            sign = 1 if near.index(other) > at else -1
            away = abs(near.index(other) - at) == max(abs(near.index(i) - at) for i in upward)
            return sign * (side + FORK * (away and len(upward) > 1))
        return -side if other == upward[0] else side

    def _near(self, index: int, *, below: bool) -> list[int]:
        return self._below[index] if below else self._above[index]

    def _pack(self) -> None:
        for layer in self._layers:
            x = 0.0
            for index in layer:
                x += self._nodes[index].left
                self._nodes[index].x = x
                x += self._nodes[index].right + BETWEEN

    def _across(self) -> None:
        """Set x of all nodes: few lines lead sideways, as those that do so little now want it the most."""
        pulls: dict[int, list[tuple[int, float, float]]] = {i: [] for i in self._order}
        for (upper, lower), (there, here) in self.offsets.items():
            away = abs(self._nodes[upper].x + there - self._nodes[lower].x - here)
            weight = self._weight(upper, lower) / (away + 3)
            pulls[upper].append((lower, here - there, weight))
            pulls[lower].append((upper, there - here, weight))
        for sweep in range(SWEEPS):
            layers = self._layers if sweep % 2 else reversed(self._layers)
            if max([self._settle(layer, pulls) for layer in layers]) < SETTLED:
                return

    def _straighten(self, bends: list[int]) -> None:
        """Let a line that is almost straight be straight, where there is room."""
        while bends:
            first = self._nodes[bends[0]]
            run = list(takewhile(partial(self._is_near, first), bends))
            middle = sorted(self._nodes[i].x for i in run)[len(run) // 2]
            if all(self._has_room(i, middle) for i in run):
                for index in run:
                    self._nodes[index].x = middle
            bends = bends[len(run) :]

    def _is_near(self, node: Node, index: int) -> bool:
        return abs(self._nodes[index].x - node.x) < NEARLY

    def _has_room(self, index: int, x: float) -> bool:
        node = self._nodes[index]
        layer, at = self._layers[node.layer], self._order[index]
        left = self._nodes[layer[at - 1]] if at else None
        right = self._nodes[layer[at + 1]] if at + 1 < len(layer) else None
        return (left is None or left.x + left.right + node.left <= x) and (
            right is None or x + node.right <= right.x - right.left
        )

    def _to_the_left(self) -> None:
        least = min(node.x - node.left for node in self._nodes)
        for node in self._nodes:
            node.x -= least

    def _weight(self, upper: int, lower: int) -> float:
        bends = sum(self._nodes[i].shape is Shape.BEND for i in (upper, lower))
        if bends == 2:
            return STIFF
        return LOOSE if (upper, lower) in self._upward else BENT

    def _shift_ports(self) -> None:
        """Let lines end at states where they come straight, as far as these are wide."""
        for index, node in enumerate(self._nodes):
            if node.shape is not Shape.STATE:
                continue
            for below in (True, False):
                near = self._near(index, below=below)
                room = min(sizes.PORT, (node.left + node.right - 24) / max(1, len(near) - 1))
                half = node.left - 12
                wanted = [self._reach(index, other) for other in near]
                lowest = [-half + i * room for i in range(len(near))]
                for at, x in enumerate(_apart(wanted, room)):
                    offset = min(max(x, lowest[at]), half - (len(near) - 1 - at) * room)
                    self._set_port(index, near[at], offset)

    def _reach(self, index: int, other: int) -> float:
        """Where a line from another node would reach this one if it were straight."""
        key = (index, other) if (index, other) in self.offsets else (other, index)
        there = self.offsets[key][1 if key[0] == index else 0]
        return self._nodes[other].x + there - self._nodes[index].x

    def _set_port(self, index: int, other: int, offset: float) -> None:
        if (index, other) in self.offsets:
            self.offsets[index, other] = (offset, self.offsets[index, other][1])
        else:
            self.offsets[other, index] = (self.offsets[other, index][0], offset)

    def _settle(self, layer: list[int], pulls: dict[int, list[tuple[int, float, float]]]) -> float:
        """Place the nodes of a layer by those that are joined to them; return how far one was moved at most."""
        wanted, weights = [], []
        for index in layer:
            own = pulls[index]
            weight = sum(w for _, _, w in own) or 1.0
            at = sum((self._nodes[i].x + by) * w for i, by, w in own) / weight
            wanted.append(at if own else self._nodes[index].x)
            weights.append(weight)
        nodes = [self._nodes[i] for i in layer]
        moved = 0.0
        for node, x in zip(nodes, spread(nodes, wanted, weights), strict=True):
            moved = max(moved, abs(node.x - x))
            node.x = x
        return moved

    def _down(self) -> None:
        """Set y of all nodes."""
        y = 0.0
        for layer in self._layers:
            height = max(self._nodes[index].height for index in layer)
            self.tops.append(y)
            self.bottoms.append(y + height)
            for index in layer:
                node = self._nodes[index]
                node.y = y + height / 2
                if node.shape is Shape.BEND:
                    node.height = height
            y += height + GAP + self._slope(layer)

    def _slope(self, layer: list[int]) -> float:
        """More room below a layer from which lines lead far sideways."""
        below = set(layer)
        far = [
            abs(self._nodes[u].x + a - self._nodes[v].x - b)
            for (u, v), (a, b) in self.offsets.items()
            if u in below
        ]
        return min(26.0, max(far, default=0.0) * 0.1)


def spread(nodes: Sequence[Node], wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the places closest to those that neighbours want, in the least squares, so that none overlap."""
    at, offsets = 0.0, []
    for i, node in enumerate(nodes):
        at += (nodes[i - 1].right + BETWEEN + node.left) if i else 0.0
        offsets.append(at)
    found = _rising([w - offset for w, offset in zip(wanted, offsets, strict=True)], weights)
    return [place + offset for place, offset in zip(found, offsets, strict=True)]


def _apart(wanted: Sequence[float], room: float) -> list[float]:
    found = _rising([w - i * room for i, w in enumerate(wanted)], [1.0] * len(wanted))
    return [place + i * room for i, place in enumerate(found)]


def _rising(wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the numbers that never fall and are closest to those that are wanted, in the least squares."""
    blocks: list[tuple[float, float, int]] = []  # number, weight, how many
    for want, weight in zip(wanted, weights, strict=True):
        block = (want, weight, 1)
        while blocks and blocks[-1][0] > block[0]:
            place, heavy, count = blocks.pop()
            total = heavy + block[1]
            block = ((place * heavy + block[0] * block[1]) / total, total, count + block[2])
        blocks.append(block)
    return [place for place, _, count in blocks for _ in range(count)]
