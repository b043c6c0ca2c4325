"""Draws a placed machine as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.graph import Edge, Graph, Line, Node, Shape
from hetwin_machines.drawing.places import Places
from hetwin_machines.drawing.routes import route

STYLE = """
.paper{fill:#fff}
.panel{fill:#fbfcfe;stroke:#d5dbe5}
text{font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1f2933}
.title{font:600 15px system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif}
.note{font:12px system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif;fill:#667080}
.line{fill:none;stroke:#5b6675;stroke-width:1.4}
.tip{fill:#5b6675}
.state rect{fill:#e6eefb;stroke:#38588f;stroke-width:1.5}
.state .inner{fill:none;stroke-width:1}
.state text,.fault .name{font:600 13px system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif;text-anchor:middle}
.decision path{fill:#fff6dc;stroke:#b0851c;stroke-width:1.3}
.decision text{text-anchor:middle}
.word{font-weight:600;fill:#8a6510}
.guard{fill:#6b4f0a}
.stack{fill:#e2f4e8;stroke:#2c7a4b;stroke-width:1.3}
.pushed{fill:#1d5a36;text-anchor:middle}
.dot{fill:#1f2933}
.count{fill:#0b5cad;font-weight:600}
.taken .line{stroke:#0b6bcb;stroke-width:2.6}
.taken .tip,.taken .dot{fill:#0b6bcb}
.idle .line{stroke:#c3cad4}
.idle .tip,.idle .dot{fill:#c3cad4}
.idle text{fill:#a3acb8}
.idle rect,.idle path.diamond,.idle .stack{fill:#f6f7f9;stroke:#c3cad4}
.last rect{stroke:#0b6bcb;stroke-width:3.5}
.failed .line{stroke:#c62828;stroke-width:2.2;stroke-dasharray:6 4}
.failed .tip{fill:#c62828}
.fault path{fill:#fdeaea;stroke:#c62828;stroke-width:2}
.fault text{text-anchor:middle;fill:#8e1b1b}
.state.failing rect{stroke:#c62828;stroke-width:3}
"""


def machine_svg(graph: Graph, places: Places) -> Iterator[str]:
    """Yield the elements of a machine, lines below nodes."""
    failing = {edge.tail for edge in graph.edges if edge.is_fault}
    for edge in sorted(graph.edges, key=lambda edge: edge.count or 0):
        yield from _edge(graph, places, edge)
    for index, node in enumerate(graph.nodes):
        if node.shape in _DRAWN:
            kind = f"{node.shape.value} {_went(node.count)}"
            kind += " failing" if index in failing else " last" if node.is_last else ""
            arc = f' data-arc="{node.arc}"' if node.arc is not None else ""
            title = f"<title>{escape(node.title)}</title>" if node.title else ""
            yield f'<g class="{kind.strip()}"{arc}>{title}{"".join(_DRAWN[node.shape](node))}</g>'


def _went(count: int | None) -> str:
    return "" if count is None else "taken" if count else "idle"


def _edge(graph: Graph, places: Places, edge: Edge) -> Iterator[str]:
    kind = "failed" if edge.is_fault else _went(edge.count)
    yield f'<g class="{kind}">' if kind else "<g>"
    yield f'<path class="line" d="{route(graph, places, edge)}"/>'
    if edge.arrow:
        key = (edge.bends[-1] if edge.bends else edge.tail, edge.tip)
        key = (key[1], key[0]) if edge.upward else key
        tip = graph.nodes[edge.tip]
        x = tip.x + places.offsets[key][0 if edge.upward else 1]
        yield _arrowhead(x, tip.bottom if edge.upward else tip.top, upward=edge.upward)
    yield "</g>"


def _arrowhead(x: float, y: float, *, upward: bool) -> str:
    back = y + (9 if upward else -9)
    return f'<path class="tip" d="M{x:.1f} {y:.1f}L{x - 4.5:.1f} {back:.1f}L{x + 4.5:.1f} {back:.1f}Z"/>'


def _texts(lines: tuple[Line, ...], x: float, top: float, *, end: bool = False) -> Iterator[str]:
    anchor = ' text-anchor="end"' if end else ""
    for i, line in enumerate(lines):
        y = top + sizes.LINE * i + 12
        yield f'<text class="{line.kind}" x="{x:.1f}" y="{y:.1f}"{anchor}>{escape(line.text)}</text>'


def _beside(node: Node, by: float = 0.0) -> float:
    """Where text begins beside a line, or ends on its left."""
    away = sizes.BESIDE + by
    return node.x - away if node.mirrored else node.x + away


def _state(node: Node) -> Iterator[str]:
    x, width = node.x - node.left, node.left + node.right
    yield f'<rect x="{x:.1f}" y="{node.top:.1f}" width="{width:.1f}" height="{node.height:.1f}" rx="16"/>'
    if node.is_sink:
        yield (
            f'<rect class="inner" x="{x + 4:.1f}" y="{node.top + 4:.1f}" width="{width - 8:.1f}"'
            f' height="{node.height - 8:.1f}" rx="12"/>'
        )
    yield f'<text x="{node.x:.1f}" y="{node.y + 4.5:.1f}">{escape(node.lines[0].text)}</text>'


def _start(node: Node) -> Iterator[str]:
    yield f'<circle class="dot" cx="{node.x:.1f}" cy="{node.bottom - 5:.1f}" r="5"/>'
    middle = node.y - sizes.LINE * len(node.lines) / 2
    yield from _texts(node.lines, node.x + sizes.BESIDE + 3, middle)


def _decision(node: Node) -> Iterator[str]:
    half = sizes.decision_size(node.lines)[0] / 2
    yield (
        f'<path class="diamond" d="M{node.x:.1f} {node.top:.1f}L{node.x + half:.1f} {node.y:.1f}'
        f'L{node.x:.1f} {node.bottom:.1f}L{node.x - half:.1f} {node.y:.1f}Z"/>'
    )
    yield from _texts(node.lines, node.x, node.y - sizes.LINE * len(node.lines) / 2)


def _branch(node: Node) -> Iterator[str]:
    yield f'<path class="line" d="M{node.x:.1f} {node.top:.1f}V{node.bottom:.1f}"/>'
    yield from _texts(node.lines, _beside(node), node.top, end=node.mirrored)


def _fan(node: Node) -> Iterator[str]:
    yield f'<circle class="dot" cx="{node.x:.1f}" cy="{node.y:.1f}" r="3"/>'


def _hexagon(x: float, y: float, radius: float) -> str:
    half, low = radius / 2, radius * 0.87
    return (
        f'<path class="stack" d="M{x - radius:.1f} {y:.1f}L{x - half:.1f} {y - low:.1f}'
        f"L{x + half:.1f} {y - low:.1f}L{x + radius:.1f} {y:.1f}L{x + half:.1f} {y + low:.1f}"
        f'L{x - half:.1f} {y + low:.1f}Z"/>'
    )


def _top(node: Node) -> Iterator[str]:
    yield _hexagon(node.x, node.y, sizes.HEXAGON)


def _fault(node: Node) -> Iterator[str]:
    x, right, cut = node.x - node.left, node.x + node.right, 9
    yield (
        f'<path d="M{x + cut:.1f} {node.top:.1f}H{right - cut:.1f}L{right:.1f} {node.top + cut:.1f}'
        f"V{node.bottom - cut:.1f}L{right - cut:.1f} {node.bottom:.1f}H{x + cut:.1f}"
        f'L{x:.1f} {node.bottom - cut:.1f}V{node.top + cut:.1f}Z"/>'
    )
    yield from _texts(node.lines, node.x, node.top + 7)


def _arc(node: Node) -> Iterator[str]:
    """An arc: what it pops at its tail, what it is and does beside it, what it pushes at its tip."""
    yield f'<path class="line" d="M{node.x:.1f} {node.top:.1f}V{node.bottom:.1f}"/>'
    tail = sizes.pops_height(node.pops)
    tip = sizes.PILL * len(node.pushes) + 12 if node.pushes else 0.0
    yield from _pops(node)
    text = node.top + 2 + (tip if node.upward else tail)
    yield from _texts(node.lines, _beside(node), text, end=node.mirrored)
    if node.count:
        by = sizes.text_width(node.lines[:1]) + (sizes.LETTER if node.lines else 0)
        at = text if node.lines else node.y - sizes.LINE / 2
        said = (Line("count", sizes.count_text(node.count)),)
        yield from _texts(said, _beside(node, by), at, end=node.mirrored)
    yield from _pushes(node)


def _pops(node: Node) -> Iterator[str]:
    away = -1 if node.upward else 1
    start = node.bottom if node.upward else node.top
    if node.pops < 0:
        yield _hexagon(node.x, start + away * sizes.HEXAGON, sizes.HEXAGON * 0.8)
        return
    shown = min(node.pops, 4)
    for i in range(shown):
        y = start + away * (sizes.BUBBLE + 2 + 2 * sizes.BUBBLE * i)
        yield f'<circle class="stack" cx="{node.x:.1f}" cy="{y:.1f}" r="{sizes.BUBBLE}"/>'
    if shown < node.pops:
        y = start + away * (sizes.BUBBLE + 2)
        yield f'<text x="{node.x + sizes.BESIDE:.1f}" y="{y + 4:.1f}">{node.pops} popped</text>'


def _pushes(node: Node) -> Iterator[str]:
    if not node.pushes:
        return
    away = -1 if node.upward else 1
    end = node.top if node.upward else node.bottom
    first = end - away * sizes.PILL * len(node.pushes)
    yield _arrowhead(node.x, first, upward=node.upward)
    for i, name in enumerate(node.pushes):
        y = first + away * sizes.PILL * (i + 0.5)
        width = sizes.pill_width(name)
        yield (
            f'<rect class="stack" x="{node.x - width / 2:.1f}" y="{y - sizes.PILL / 2 + 1:.1f}"'
            f' width="{width:.1f}" height="{sizes.PILL - 2:.1f}" rx="8"/>'
            f'<text class="pushed" x="{node.x:.1f}" y="{y + 4:.1f}">{escape(name)}</text>'
        )


_DRAWN = {
    Shape.STATE: _state,
    Shape.START: _start,
    Shape.DECISION: _decision,
    Shape.BRANCH: _branch,
    Shape.FAN: _fan,
    Shape.ARC: _arc,
    Shape.HEXAGON: _top,
    Shape.FAULT: _fault,
}
