"""Draws a network: a panel for each machine, with the signals that it sets and reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from hetwin_machines.drawing import svg
from hetwin_machines.drawing.chart import chart_of
from hetwin_machines.drawing.graph import MachineTrace
from hetwin_machines.drawing.layout import Layout, lay_out
from hetwin_machines.network import Machine, Network, OnInactive
from hetwin_suite.expressions import names_of

MAX_ROW_WIDTH = 1500.0
"""Maximum width of a row of panels [px]."""
MARGIN = 20.0
HEADER_HEIGHT = 62.0
"""Height of a panel's title and notes [px]."""
_NOTE_LETTER = 6.9


@dataclass
class _Panel:
    machine: Machine
    layout: Layout
    notes: tuple[str, ...]
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        text = max(len(note) for note in (*self.notes, self.machine.name + "   "))
        return max(self.layout.width, text * _NOTE_LETTER) + 2 * MARGIN

    @property
    def height(self) -> float:
        return self.layout.height + HEADER_HEIGHT + MARGIN


def draw(
    network: Network,
    name: str,
    traces: Mapping[str, MachineTrace] | None = None,
    note: str = "",
) -> str:
    """Return a drawing of a network as SVG.

    Args:
        network: the network.
        name: name of the network.
        traces: machine -> summary of its trace; None if there is none.
        note: note about the trace.
    """
    panels = [_panel(machine, traces) for machine in network.machines]
    notes = [_signals(network), *([note] if note else [])]
    width, height = _arrange(panels, 2 * MARGIN + 24 + 18 * len(notes))
    width = max(width, max(len(note) for note in (*notes, name)) * _NOTE_LETTER + 2 * MARGIN)
    size = f'width="{width:.0f}" height="{height:.0f}" role="img"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {size}>',
            f"<title>{escape(name)}</title>",
            f"<style>{svg.STYLE}</style>",
            f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>',
            f'<text class="title" x="{MARGIN}" y="{MARGIN + 12}">{escape(name)}</text>',
            *(
                f'<text class="note" x="{MARGIN}" y="{MARGIN + 34 + 18 * i}">{escape(note)}</text>'
                for i, note in enumerate(notes)
            ),
            *(line for panel in panels for line in _panel_svg(panel)),
            "</svg>\n",
        ]
    )


def _panel(machine: Machine, traces: Mapping[str, MachineTrace] | None) -> _Panel:
    chart = chart_of(machine, traces[machine.name] if traces is not None else None)
    return _Panel(machine, lay_out(chart), tuple(_notes(machine)))


def _notes(machine: Machine) -> Iterator[str]:
    read = {
        name
        for arcs in machine.states.values()
        for arc in arcs
        for expression in (arc.guard, *arc.assignments.values())
        for name in names_of(expression.node)
    }
    yield f"sets: {', '.join(sorted(machine.sets)) or 'nothing'}"
    other_signals = sorted(read - machine.sets)
    on_inactive = machine.on_inactive
    suffix = f"  ·  when inactive: {on_inactive}" if on_inactive is not OnInactive.STAY else ""
    yield f"reads: {', '.join(other_signals) or 'nothing else'}{suffix}"


def _signals(network: Network) -> str:
    parts = [
        f"{kind}: {', '.join(names)}"
        for kind, names in (
            ("inputs", network.inputs),
            ("events", network.events),
            ("outputs", network.outputs),
        )
        if names
    ]
    return "  ·  ".join([*parts, f"advance: {network.advance}"])


def _arrange(panels: list[_Panel], top: float) -> tuple[float, float]:
    """Place panels in rows; return the total width and height."""
    x, y, tallest, widest = MARGIN, top, 0.0, 0.0
    for panel in panels:
        if x > MARGIN and x + panel.width > MAX_ROW_WIDTH:
            x, y, tallest = MARGIN, y + tallest + MARGIN, 0.0
        panel.x, panel.y = x, y
        x += panel.width + MARGIN
        tallest = max(tallest, panel.height)
        widest = max(widest, x)
    return widest, y + tallest + MARGIN


def _panel_svg(panel: _Panel) -> Iterator[str]:
    x, y, machine = panel.x, panel.y, panel.machine
    yield f'<g data-machine="{escape(machine.name)}">'
    size = f'width="{panel.width:.1f}" height="{panel.height:.1f}"'
    yield f'<rect class="panel" x="{x:.1f}" y="{y:.1f}" {size} rx="8"/>'
    yield f'<text class="title" x="{x + 14:.1f}" y="{y + 22:.1f}">{escape(machine.name)}</text>'
    for i, note in enumerate(panel.notes):
        yield f'<text class="note" x="{x + 14:.1f}" y="{y + 38 + 15 * i:.1f}">{escape(note)}</text>'
    left = (panel.width - panel.layout.width) / 2
    yield f'<g transform="translate({x + left:.1f} {y + HEADER_HEIGHT + 4:.1f})">'
    yield from svg.machine_svg(panel.layout)
    yield "</g>"
    yield "</g>"
