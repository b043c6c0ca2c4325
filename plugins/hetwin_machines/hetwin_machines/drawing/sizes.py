"""Sizes of a drawing's elements in pixels; the width of text is computed from its number of characters."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_machines.drawing.graph import Line

LETTER = 7.25
"""Width of a character beside an arc (monospaced, 12 px)."""
NAME_LETTER = 9.0
"""Upper bound of the mean width of a character in a state's name (bold, 13 px)."""
LINE = 16.0
STATE_HEIGHT = 32.0
BUBBLE = 6.0
"""Radius of the bubble of a pop."""
PILL = 18.0
"""Height of the bubble of a push."""
HEXAGON = 15.0
"""Radius of a hexagon."""
TEXT_OFFSET = 9.0
"""Distance from an arc's line to its text."""
ARROW_LENGTH = 7.0
"""Length of an arrowhead, by which a line is shortened."""
CORNER = 10.0
"""Radius of a line's corners."""


def text_width(lines: Sequence[Line]) -> float:
    """Return the width of the widest line."""
    return max((len(line.text) for line in lines), default=0) * LETTER


def state_width(name: str) -> float:
    """Return the width of a state."""
    return max(58.0, len(name) * NAME_LETTER + 26)


def pill_width(name: str) -> float:
    """Return the width of the bubble of a pushed state."""
    return len(name) * LETTER + 16


def decision_size(lines: Sequence[Line]) -> tuple[float, float]:
    """Return width and height of a diamond that contains some lines."""
    inside = LINE * len(lines) - 3
    height = LINE * len(lines) + 28
    return text_width(lines) / (1 - inside / height) + 10, height


def pops_height(pops: int) -> float:
    """Return the height of the pop bubbles at an arc's tail."""
    return 0.0 if pops == 0 else 2 * HEXAGON if pops < 0 else 2 * BUBBLE * min(pops, 4) + 4


def count_text(count: int) -> str:
    """Return the text of an arc's count."""
    return f"{count}\N{MULTIPLICATION SIGN}"
