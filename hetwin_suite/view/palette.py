"""Colours of models: distinguishable for colour-blind people, and readable on light and dark backgrounds."""

from __future__ import annotations

from collections.abc import Iterable

from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord

MAIN = "#8b97a8"
"""Colour of the main model."""
_OTHERS = (
    "#e8833a",
    "#3b8fd9",
    "#3fa88a",
    "#c76bb0",
    "#d9b13b",
    "#7a74d6",
    "#d65f5f",
    "#5fb8c9",
)

AXES = ("#d65f5f", "#3fa88a", "#3b8fd9")
"""Colours of x, y and z: red, green, blue."""

SERIES = ("#3b8fd9", "#e8833a", "#3fa88a", "#c76bb0", "#d9b13b", "#7a74d6", "#d65f5f", "#5fb8c9")
"""Colours of the lines in a plot, repeated if there are more lines."""


def model_colours(models: Iterable[ModelRecord]) -> dict[str, str]:
    """Return model -> colour ``#rrggbb``; the main model is grey."""
    colours: dict[str, str] = {}
    for model in models:
        if model.main:
            colours[model.name] = MAIN
        else:
            used = sum(colour != MAIN for colour in colours.values())
            colours[model.name] = _OTHERS[used % len(_OTHERS)]
    return colours


def rgb(colour: str) -> tuple[float, float, float]:
    """Convert ``#rrggbb`` to red, green and blue, each 0 to 1."""
    r, g, b = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return r, g, b
