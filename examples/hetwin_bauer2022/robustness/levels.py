"""The measured axes and levels, and the format of levels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import degrees, log2

from hetwin_bauer2022.mismatch import Axis, axes, axis_names
from hetwin_suite.runs import BadInput, one_of

OPTION = "--axes"
_PERCENT_RANGE = (0.5, 1.5)
"""Factors within this range are shown in per cent."""
_LOG_RATIO = 6.0
"""Ratio of the largest to the smallest level beyond which positive levels are drawn on a logarithmic scale."""


@dataclass(frozen=True, slots=True)
class Levels:
    """An axis, and its measured levels in ascending order, without the neutral one."""

    axis: Axis
    levels: tuple[float, ...]


def read_axes(text: str | None) -> list[Levels]:
    """Parse the axes to measure.

    Args:
        text: names of axes, each with all of its levels, or ``NAME=LEVEL`` for one level; separated by commas. None:
        all.

    Raises:
        BadInput: if there is no such axis, or a level is not possible.
    """
    if text is None:
        return [Levels(axis, _all_levels(axis)) for axis in axes().values()]
    requested: dict[str, list[float]] = {}
    available = axes()
    for word in (part.strip() for part in text.split(",")):
        name, equals, level = word.partition("=")
        if name not in available:
            expected = one_of(name, axis_names())
            raise BadInput("no such axis of mismatch", where=OPTION, found=word, expected=expected)
        levels = requested.setdefault(name, [])
        levels += (
            [_number(word, level, available[name])] if equals else _all_levels(available[name])
        )
    return [
        Levels(axis, tuple(level for level in sorted(set(requested[name])) if level != axis.none))
        for name, axis in available.items()
        if name in requested
    ]


def _all_levels(axis: Axis) -> tuple[float, ...]:
    return tuple(level for level in axis.levels if level != axis.none)


def _number(word: str, text: str, axis: Axis) -> float:
    try:
        level = float(text)
    except ValueError:
        expected = f"a number ({axis.unit}); {axis.none:g} changes nothing"
        raise BadInput("not a number", where=OPTION, found=word, expected=expected) from None
    axis.check(level)
    return level


def shown_level(axis: Axis, level: float) -> str:
    """Format a level for people: in degrees, millimetres, milliseconds or per cent."""
    match axis.unit:
        case "rad":
            return f"{round(degrees(level), 2):g}°"
        case "m":
            return f"{round(1e3 * level, 3):g} mm"
        case "s":
            return f"{round(1e3 * level, 3):g} ms"
        case "factor":
            return _factor(axis, level)
        case unit:
            return f"{level:g} {unit}"


def _factor(axis: Axis, level: float) -> str:
    if axis.none == 0.0:
        return f"{100 * level:g} %"
    if all(_PERCENT_RANGE[0] < other_level < _PERCENT_RANGE[1] for other_level in axis.levels):
        return f"{100 * (level - axis.none):+.3g} %" if level != axis.none else "0 %"
    return f"x {level:g}"


def is_beyond_hardware(axis: Axis, level: float) -> bool:
    """Whether the level is outside the range of real hardware; False if that is not known."""
    if axis.hardware is None or level == axis.none:
        return False
    return not axis.hardware[0] <= level <= axis.hardware[1]


def coordinate(level: float, levels: Iterable[float]) -> float:
    """Return the coordinate of a level: the level, or its logarithm if the levels span a wide range.

    Args:
        level: level to draw.
        levels: all drawn levels.
    """
    available = [*levels]
    is_wide = min(available) > 0.0 and max(available) / min(available) > _LOG_RATIO
    return log2(max(level, min(available) / 2)) if is_wide else level
