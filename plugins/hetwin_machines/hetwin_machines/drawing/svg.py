"""Writes the layout of a machine as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.graph import Line, Node, Shape
from hetwin_machines.drawing.layout import Layout, Wire, direction, path_of

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


def machine_svg(layout: Layout) -> Iterator[str]:
    """Yield the SVG elements of a machine: lines first, most used ones on top, then nodes."""
    for wire in sorted(layout.wires, key=lambda wire: wire.count or 0):
        yield from _wire(wire)
    for node in layout.nodes:
        failing = any(child.shape is Shape.FAULT for child in node.children)
        kind = f"{node.shape.value} {_usage_class(node.count)}"
        kind += " failing" if failing else " last" if node.is_last else ""
        arc = f' data-arc="{node.arc}"' if node.arc is not None else ""
        title = f"<title>{escape(node.title)}</title>" if node.title else ""
        yield f'<g class="{kind.strip()}"{arc}>{title}{"".join(_RENDERERS[node.shape](node))}</g>'
        if node.word:
            yield f'<g class="branch {_usage_class(node.count)}">{_word(node)}</g>'


def _usage_class(count: int | None) -> str:
    return "" if count is None else "taken" if count else "idle"


def _wire(wire: Wire) -> Iterator[str]:
    kind = "failed" if wire.is_fault else _usage_class(wire.count)
    yield f'<g class="{kind}">' if kind else "<g>"
    yield f'<path class="line" d="{path_of(wire)}"/>'
    if wire.arrow:
        yield _arrowhead(*wire.points[-1], *direction(*wire.points[-2:]))
    yield "</g>"


def _arrowhead(x: float, y: float, dx: int = 0, dy: int = 1) -> str:
    back, low = x - 9 * dx, y - 9 * dy
    first = f"{back - 4.5 * dy:.1f} {low - 4.5 * dx:.1f}"
    second = f"{back + 4.5 * dy:.1f} {low + 4.5 * dx:.1f}"
    return f'<path class="tip" d="M{x:.1f} {y:.1f}L{first}L{second}Z"/>'


def _word(node: Node) -> str:
    """Return the word beside the line that leads to a decision or a fan."""
    top = node.top - sizes.LINE
    return "".join(_texts((Line("word", node.word),), node.x + sizes.TEXT_OFFSET, top))


def _texts(lines: tuple[Line, ...], x: float, top: float) -> Iterator[str]:
    for i, line in enumerate(lines):
        y = top + sizes.LINE * i + 12
        yield f'<text class="{line.kind}" x="{x:.1f}" y="{y:.1f}">{escape(line.text)}</text>'


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
    yield from _texts(node.lines, node.x + sizes.TEXT_OFFSET + 3, middle)


def _decision(node: Node) -> Iterator[str]:
    half = sizes.decision_size(node.lines)[0] / 2
    yield (
        f'<path class="diamond" d="M{node.x:.1f} {node.top:.1f}L{node.x + half:.1f} {node.y:.1f}'
        f'L{node.x:.1f} {node.bottom:.1f}L{node.x - half:.1f} {node.y:.1f}Z"/>'
    )
    yield from _texts(node.lines, node.x, node.y - sizes.LINE * len(node.lines) / 2)


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
    x, right, corner = node.x - node.left, node.x + node.right, 9
    yield (
        f'<path d="M{x + corner:.1f} {node.top:.1f}H{right - corner:.1f}L{right:.1f} {node.top + corner:.1f}'
        f"V{node.bottom - corner:.1f}L{right - corner:.1f} {node.bottom:.1f}H{x + corner:.1f}"
        f'L{x:.1f} {node.bottom - corner:.1f}V{node.top + corner:.1f}Z"/>'
    )
    yield from _texts(node.lines, node.x, node.top + 7)


def _arc(node: Node) -> Iterator[str]:
    """Yield an arc: pops at its tail, guard and assignments beside it, pushes at its tip."""
    yield f'<path class="line" d="M{node.x:.1f} {node.top:.1f}V{node.bottom:.1f}"/>'
    yield from _pops(node)
    x, text = node.x + sizes.TEXT_OFFSET, node.top + 2 + sizes.pops_height(node.pops)
    yield from _texts(node.lines, x, text)
    if node.count:
        x += sizes.text_width(node.lines[:1]) + (sizes.LETTER if node.lines else 0)
        at = text if node.lines else node.y - sizes.LINE / 2
        yield from _texts((Line("count", sizes.count_text(node.count)),), x, at)
    yield from _pushes(node)


def _pops(node: Node) -> Iterator[str]:
    if node.pops < 0:
        yield _hexagon(node.x, node.top + sizes.HEXAGON, sizes.HEXAGON * 0.8)
        return
    shown = min(node.pops, 4)
    for i in range(shown):
        y = node.top + sizes.BUBBLE + 2 + 2 * sizes.BUBBLE * i
        yield f'<circle class="stack" cx="{node.x:.1f}" cy="{y:.1f}" r="{sizes.BUBBLE}"/>'
    if shown < node.pops:
        y = node.top + sizes.BUBBLE + 6
        yield f'<text x="{node.x + sizes.TEXT_OFFSET:.1f}" y="{y:.1f}">{node.pops} popped</text>'


def _pushes(node: Node) -> Iterator[str]:
    if not node.pushes:
        return
    first = node.bottom - sizes.PILL * len(node.pushes)
    yield _arrowhead(node.x, first)
    for i, name in enumerate(node.pushes):
        y = first + sizes.PILL * (i + 0.5)
        width = sizes.pill_width(name)
        yield (
            f'<rect class="stack" x="{node.x - width / 2:.1f}" y="{y - sizes.PILL / 2 + 1:.1f}"'
            f' width="{width:.1f}" height="{sizes.PILL - 2:.1f}" rx="8"/>'
            f'<text class="pushed" x="{node.x:.1f}" y="{y + 4:.1f}">{escape(name)}</text>'
        )


_RENDERERS = {
    Shape.STATE: _state,
    Shape.START: _start,
    Shape.DECISION: _decision,
    Shape.FAN: _fan,
    Shape.ARC: _arc,
    Shape.HEXAGON: _top,
    Shape.FAULT: _fault,
}
