"""Puts nodes into layers, from top to bottom, and orders each layer so that few lines cross."""

from __future__ import annotations

import graphlib
from bisect import bisect_right, insort
from itertools import pairwise

from hetwin_machines.drawing.graph import Graph, Node, Shape

SWEEPS = 16
Segment = tuple[int, int]
"""Indices of a node, and of one in the next lower layer."""


def arrange(graph: Graph) -> list[list[int]]:
    """Set the layers of all nodes, add bends where edges cross layers; return each layer's nodes from left to right."""
    _rank(graph)
    _bend(graph)
    segments, sides = segments_of(graph), _sides(graph)
    found = [
        _ordered(_in_depth(graph, last_first=last_first), segments, sides, downward=downward)
        for last_first in (False, True)
        for downward in (True, False)
    ]
    return min(found, key=lambda layers: _wrong(layers, segments, sides))


def segments_of(graph: Graph) -> list[Segment]:
    """Return the pieces of all edges, each from a layer to the next lower one."""
    found = []
    for edge in graph.edges:
        for one, two in pairwise((edge.tail, *edge.bends, edge.tip)):
            found.append((two, one) if edge.upward else (one, two))
    return found


def _rank(graph: Graph) -> None:
    above: dict[int, set[int]] = {index: set() for index in range(len(graph.nodes))}
    below: dict[int, set[int]] = {index: set() for index in range(len(graph.nodes))}
    pairs = [(e.tip, e.tail) if e.upward else (e.tail, e.tip) for e in graph.edges]
    for upper, lower in (*pairs, *graph.above):
        above[lower].add(upper)
        below[upper].add(lower)
    order = list(graphlib.TopologicalSorter(above).static_order())
    for index in order:
        node = graph.nodes[index]
        first = 0 if node.shape is Shape.START else 1
        node.layer = max((graph.nodes[i].layer + 1 for i in above[index]), default=first)
    for index in reversed(order):  # what leads up, and where it begins, is as low as it may be
        node = graph.nodes[index]
        if below[index] and node.upward:
            node.layer = min(graph.nodes[i].layer for i in below[index]) - 1


def _bend(graph: Graph) -> None:
    for edge in graph.edges:
        at, to = graph.nodes[edge.tail].layer, graph.nodes[edge.tip].layer
        step = 1 if to > at else -1
        edge.bends = [
            graph.add(Node(Shape.BEND, 7, 7, layer=layer, count=edge.count))
            for layer in range(at + step, to, step)
        ]


def _in_depth(graph: Graph, *, last_first: bool) -> list[list[int]]:
    """The nodes of each layer as they are met on the way, the first ways first, or the last."""
    ways: dict[int, list[int]] = {index: [] for index in range(len(graph.nodes))}
    for upper, lower in segments_of(graph):
        ways[upper].append(lower)
        ways[lower].append(upper)
    found: dict[int, None] = {}
    roots = [i for i, node in enumerate(graph.nodes) if node.shape is Shape.START]
    todo = [*reversed(range(len(graph.nodes))), *roots]
    while todo:
        index = todo.pop()
        if index not in found:
            found[index] = None
            todo += ways[index] if last_first else reversed(ways[index])
    layers: list[list[int]] = [[] for _ in range(1 + max(node.layer for node in graph.nodes))]
    for index in found:
        layers[graph.nodes[index].layer].append(index)
    return layers


def _sides(graph: Graph) -> dict[int, int]:
    """Left (-1) and right (1) of the line to a decision: the arcs that lead up from it."""
    sides: dict[int, int] = {}
    for index, node in enumerate(graph.nodes):
        up = [e for e in graph.edges if e.tail == index and e.upward]
        if node.shape is Shape.DECISION and len(up) == 2:
            sides |= {(e.bends or [e.tip])[0]: side for e, side in zip(up, (-1, 1), strict=True)}
    return sides


def _ordered(
    layers: list[list[int]], segments: list[Segment], sides: dict[int, int], *, downward: bool
) -> list[list[int]]:
    best, fewest = layers, _wrong(layers, segments, sides)
    for sweep in range(SWEEPS):
        layers = _swept(layers, segments, sides, downward=(sweep % 2 == 0) is downward)
        layers = _switched(layers, segments)
        wrong = _wrong(layers, segments, sides)
        if wrong < fewest:
            best, fewest = layers, wrong
    return best


def _wrong(layers: list[list[int]], segments: list[Segment], sides: dict[int, int]) -> int:
    """How many lines cross, or lead up on the wrong side."""
    return _crossings(layers, segments) + _wrong_sides(layers, segments, sides)


def _swept(
    layers: list[list[int]], segments: list[Segment], sides: dict[int, int], *, downward: bool
) -> list[list[int]]:
    """Order each layer by where the neighbours of its nodes in the layer before are, in the mean."""
    near: dict[int, list[int]] = {}
    for upper, lower in segments:
        one, two = (lower, upper) if downward else (upper, lower)
        near.setdefault(one, []).append(two)
    found = [list(layer) for layer in layers]
    indices = range(1, len(found)) if downward else range(len(found) - 2, -1, -1)
    for index in indices:
        before = found[index - 1 if downward else index + 1]
        place = {node: at for at, node in enumerate(before)}
        own = {node: at for at, node in enumerate(found[index])}
        wanted = {
            node: sum(places) / len(places)
            if (places := [place[n] for n in near.get(node, ())])
            else own[node]
            for node in found[index]
        }
        found[index].sort(key=lambda node: (wanted[node], sides.get(node, 0), own[node]))
    return found


def _switched(layers: list[list[int]], segments: list[Segment]) -> list[list[int]]:
    """Switch neighbours wherever fewer lines cross then."""
    found = [list(layer) for layer in layers]
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for upper, lower in segments:
        above.setdefault(lower, []).append(upper)
        below.setdefault(upper, []).append(lower)
    for index, layer in enumerate(found):
        sides = [(near, _places(found, index + step)) for step, near in ((-1, above), (1, below))]
        for at in range(len(layer) - 1):
            one, two = layer[at : at + 2]
            gain = sum(
                (place[a] > place[b]) - (place[a] < place[b])
                for near, place in sides
                for a in near.get(one, ())
                for b in near.get(two, ())
            )
            if gain > 0:
                layer[at : at + 2] = two, one
    return found


def _places(layers: list[list[int]], index: int) -> dict[int, int]:
    layer = layers[index] if 0 <= index < len(layers) else []
    return {node: at for at, node in enumerate(layer)}


def _wrong_sides(layers: list[list[int]], segments: list[Segment], sides: dict[int, int]) -> int:
    """How many arcs lead up from a decision on the wrong side of the line to it."""
    place = {node: at for layer in layers for at, node in enumerate(layer)}
    above: dict[int, list[int]] = {}
    for upper, lower in segments:
        above.setdefault(lower, []).append(upper)
    return sum(
        (place[node] - place[line]) * sides[node] < 0
        for near in above.values()
        for line in near
        if line not in sides
        for node in near
        if node in sides
    )


def _crossings(layers: list[list[int]], segments: list[Segment]) -> int:
    place = {
        node: (index, at) for index, layer in enumerate(layers) for at, node in enumerate(layer)
    }
    by_layer: dict[int, list[tuple[int, int]]] = {}
    for upper, lower in segments:
        layer, at = place[upper]
        by_layer.setdefault(layer, []).append((at, place[lower][1]))
    return sum(_inversions(sorted(pieces)) for pieces in by_layer.values())


def _inversions(pieces: list[tuple[int, int]]) -> int:
    """How many pairs are in another order below than above; those that share an end do not cross."""
    count, before, waiting = 0, list[int](), list[int]()
    for i, (upper, lower) in enumerate(pieces):
        if i and upper != pieces[i - 1][0]:
            for each in waiting:
                insort(before, each)
            waiting.clear()
        count += len(before) - bisect_right(before, lower)
        waiting.append(lower)
    return count
