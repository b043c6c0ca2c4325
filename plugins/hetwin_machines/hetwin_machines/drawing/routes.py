"""Leads lines from node to node: straight through layers, in curves between them, round at the corners of decisions."""

from __future__ import annotations

from itertools import pairwise

from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.graph import Edge, Graph, Node, Shape
from hetwin_machines.drawing.places import Places

TIP = 7.0
"""Length of an arrowhead, which a line leaves room for."""


def route(graph: Graph, places: Places, edge: Edge) -> str:
    """Return the path of an edge, as SVG has it."""
    chain = [edge.tail, *edge.bends, edge.tip]
    parts: list[str] = []
    for one, two in pairwise(chain):
        key = (two, one) if edge.upward else (one, two)
        upper, lower = places.offsets[key]
        out, into = (lower, upper) if edge.upward else (upper, lower)
        tail, tip = graph.nodes[one], graph.nodes[two]
        parts.append(_begin(tail, out, places, upward=edge.upward, first=not parts))
        x, y = tip.x + into, _edge_of(places, tip, upward=not edge.upward)
        parts.append(_curve(tail.x + out, _edge_of(places, tail, upward=edge.upward), x, y))
        end = tip.bottom if edge.upward else tip.top
        arrow = (TIP if edge.upward else -TIP) if two == edge.tip and edge.arrow else 0.0
        parts.append(f"V{end + arrow:.1f}")
    return "".join(parts)


def _edge_of(places: Places, node: Node, *, upward: bool) -> float:
    return places.tops[node.layer] if upward else places.bottoms[node.layer]


def _begin(node: Node, out: float, places: Places, *, upward: bool, first: bool) -> str:
    """From where a line leaves a node to the end of its layer."""
    end = _edge_of(places, node, upward=upward)
    if not first:
        return f"V{end:.1f}"
    if node.shape is Shape.DECISION and abs(out) > 1:
        return _round_corner(node, out, end, upward=upward)
    if node.shape is Shape.FAN and abs(out) > 1:
        return _round_corner(node, out, end, upward=upward)
    if node.shape is Shape.TURN and upward:
        x, low = node.x + out, node.y + sizes.ASIDE / 2
        curve = f"C{node.x:.1f} {low:.1f} {x:.1f} {low:.1f} {x:.1f} {node.y:.1f}"
        return f"M{node.x:.1f} {node.y:.1f}{curve}V{end:.1f}"
    start = node.top if upward else node.bottom
    return f"M{node.x + out:.1f} {start:.1f}V{end:.1f}"


def _round_corner(node: Node, out: float, end: float, *, upward: bool) -> str:
    side = 1 if out > 0 else -1
    width = sizes.decision_size(node.lines)[0] if node.shape is Shape.DECISION else 0.0
    corner = node.x + side * width / 2
    x, by = node.x + out, -sizes.CORNER if upward else sizes.CORNER
    turn = x - side * sizes.CORNER
    return f"M{corner:.1f} {node.y:.1f}H{turn:.1f}Q{x:.1f} {node.y:.1f} {x:.1f} {node.y + by:.1f}V{end:.1f}"


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    if abs(x - to_x) < 0.5:
        return f"L{to_x:.1f} {to_y:.1f}"
    middle = (y + to_y) / 2
    return f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
