"""Draw a network as draw.io pages, in the notation of the paper; the layout is that of the SVG drawing."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hetwin_machines.cycle import POP_ALL
from hetwin_machines.drawing import sizes
from hetwin_machines.drawing.chart import chart_of
from hetwin_machines.drawing.graph import Node
from hetwin_machines.drawing.graph import Shape as Drawn
from hetwin_machines.drawing.layout import lay_out
from hetwin_machines.drawio.sheets import Box, Kind, Shape, Sheet, Wire
from hetwin_machines.network import Arc, Machine, Network, OnInactive

STYLES = {
    Kind.CIRCLE: "ellipse;whiteSpace=wrap;",
    Kind.DIAMOND: "rhombus;whiteSpace=wrap;",
    Kind.HEXAGON: "shape=hexagon;perimeter=hexagonPerimeter2;",
    Kind.NOTE: "shape=note;align=left;verticalAlign=top;spacing=6;",
}
_WIRE = "edgeStyle=orthogonalEdgeStyle;rounded=1;"
_BOLD = "strokeWidth=3;"
_NOTES_HEIGHT = 120.0
"""Space above a machine for its notes [pixels]."""


def sheets_of(network: Network) -> tuple[Sheet, ...]:
    """Return the drawing of a network: one page for each machine; the network's notes are on the first page."""
    return tuple(
        _MachinePage(machine, _notes(network if i == 0 else None, machine)).sheet()
        for i, machine in enumerate(network.machines)
    )


def _notes(network: Network | None, machine: Machine) -> list[str]:
    lines: list[str] = []
    if network is not None:
        for kind in ("inputs", "events", "outputs"):
            names = ", ".join(getattr(network, kind))
            lines += [f"{kind}: {names}"] if names else []
        lines += [f"advance: {network.advance}", f"max_cycles: {network.max_cycles}"]
    if machine.on_inactive is not OnInactive.STAY:
        lines.append(f"on_inactive: {machine.on_inactive}")
    return lines


class _MachinePage:
    """Draws a machine on one page."""

    def __init__(self, machine: Machine, notes: list[str]) -> None:
        self._machine, self._notes = machine, notes
        self._chart = chart_of(machine)
        lay_out(self._chart)
        self._shapes: list[Shape] = []
        self._wires: list[Wire] = []
        self._states: dict[str, str] = {}
        self._arcs: tuple[Arc, ...] = ()

    def sheet(self) -> Sheet:
        """Draw all shapes and wires; return the page."""
        if self._notes:
            box = Box(20.0, 10.0, 420.0, 20.0 + 18.0 * len(self._notes))
            self._add(Kind.NOTE, "\n".join(self._notes), box)
        for name, node in self._chart.states.items():
            size = (sizes.state_width(name), node.height + 18.0)
            self._states[name] = self._add_centred(Kind.CIRCLE, name, node.x, node.y, *size)
        init = "\n".join(f"{name} = {json.dumps(v)}" for name, v in self._machine.init.items())
        start = self._chart.start
        self._wire(
            "", self._states[self._chart.initial], init, _BOLD, (start.x, start.y + _NOTES_HEIGHT)
        )
        for name, node in self._chart.states.items():
            self._arcs = self._machine.states[name]
            for child in node.children:
                self._follow(self._states[name], child, "")
        return Sheet(self._machine.name, tuple(self._shapes), tuple(self._wires))

    def _follow(self, source: str, node: Node, word: str) -> None:
        """Draw a node of the chart and everything below it, with a wire from the shape `source`."""
        if node.shape is Drawn.FAN:
            for child in node.children:
                self._follow(source, child, word or node.word)
        elif node.shape is Drawn.DECISION:
            text = " ".join(line.text for line in node.lines)
            size = (sizes.decision_size(node.lines)[0], node.height)
            diamond = self._add_centred(Kind.DIAMOND, text, node.x, node.y, *size)
            self._wire(source, diamond, word or node.word)
            for child, answer in zip(node.children, ("yes", "no"), strict=True):
                self._follow(diamond, child, answer)
        else:
            self._arc(source, node, word)

    def _arc(self, source: str, node: Node, word: str) -> None:
        label = "\n".join(filter(None, [word, *self._label_lines(node)]))
        for kind, name, box in self._stack_shapes(node):
            bubble = self._add(kind, name, box)
            self._wire(source, bubble, label)
            source, label = bubble, ""
        if node.to is not None:
            self._wire(source, self._states[node.to], label)
            return
        top = node.children[0]
        size = 2 * sizes.HEXAGON
        self._wire(source, self._add_centred(Kind.HEXAGON, "", top.x, top.y, size, size), label)

    def _label_lines(self, node: Node) -> Iterator[str]:
        guard = " ".join(line.text for line in node.lines if line.kind == "guard")
        if guard != "true":
            yield guard
        for name, expression in self._arcs[node.arc or 0].assignments.items():
            yield f"{name} += {' '.join(expression.text.split())}"

    def _stack_shapes(self, node: Node) -> Iterator[tuple[Kind, str, Box]]:
        """Yield the bubbles and the hexagon on an arc, from its tail to its tip."""
        y = node.top + _NOTES_HEIGHT
        size = 2 * sizes.BUBBLE
        if node.pops == POP_ALL:
            yield Kind.HEXAGON, "", Box(node.x - sizes.HEXAGON, y, 2 * sizes.HEXAGON, 24.0)
        for i in range(node.pops):
            yield Kind.CIRCLE, "", Box(node.x - size / 2, y + i * (size + 2.0), size, size)
        y = node.bottom + _NOTES_HEIGHT - sizes.PILL * len(node.pushes)
        for i, name in enumerate(node.pushes):
            width = min(sizes.pill_width(name), sizes.state_width(name) - 6.0)
            yield Kind.CIRCLE, name, Box(node.x - width / 2, y + i * sizes.PILL, width, sizes.PILL)

    def _add_centred(
        self, kind: Kind, text: str, x: float, y: float, width: float, height: float
    ) -> str:
        return self._add(
            kind, text, Box(x - width / 2, y - height / 2 + _NOTES_HEIGHT, width, height)
        )

    def _add(self, kind: Kind, text: str, box: Box) -> str:
        id_ = f"s{len(self._shapes)}"
        self._shapes.append(Shape(id_, kind, text, box, STYLES[kind]))
        return id_

    def _wire(
        self,
        source: str,
        target: str,
        label: str,
        style: str = "",
        begin: tuple[float, float] | None = None,
    ) -> None:
        points = (("sourcePoint", *begin),) if begin is not None else ()
        id_ = f"w{len(self._wires)}"
        self._wires.append(Wire(id_, source, target, label, points, _WIRE + style))
