"""How large things are drawn, in pixels; text is as wide as its letters, which all have one width where it matters."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_machines.drawing.graph import Line

LETTER = 7.25
"""Width of a letter beside an arc (monospaced, 12 px)."""
NAME_LETTER = 9.0
"""Width that no letter of a state's name exceeds in the mean (bold, 13 px)."""
LINE = 16.0
STATE_HEIGHT = 32.0
BUBBLE = 6.0
"""Radius of a bubble that pops."""
PILL = 18.0
"""Height of a bubble that pushes."""
HEXAGON = 15.0
"""Radius of a hexagon."""
BESIDE = 9.0
"""From an arc's line to its text."""
TIP = 7.0
"""Length of an arrowhead, which a line leaves room for."""
CORNER = 10.0
"""Radius with which a line turns."""


def text_width(lines: Sequence[Line]) -> float:
    """Return the width of the widest line."""
    return max((len(line.text) for line in lines), default=0) * LETTER


def state_width(name: str) -> float:
    """Return the width of a state."""
    return max(58.0, len(name) * NAME_LETTER + 26)


def pill_width(name: str) -> float:
    """Return the width of a bubble that pushes a state."""
    return len(name) * LETTER + 16


def decision_size(lines: Sequence[Line]) -> tuple[float, float]:
    """Return width and height of a diamond that holds some lines."""
    inside = LINE * len(lines) - 3
    height = LINE * len(lines) + 28
    return text_width(lines) / (1 - inside / height) + 10, height


def pops_height(pops: int) -> float:
    """Return the height of what an arc pops at its tail."""
    return 0.0 if pops == 0 else 2 * HEXAGON if pops < 0 else 2 * BUBBLE * min(pops, 4) + 4


def count_text(count: int) -> str:
    """Return how often an arc was taken, as it stands beside it."""
    return f"{count}\N{MULTIPLICATION SIGN}"
