"""Plots curves: shares of right verdicts over the levels of an axis."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_bauer2022.evaluation.approaches import APPROACHES
from hetwin_bauer2022.mismatch import Axis
from hetwin_bauer2022.robustness.curves import GOOD_SHARE, CurvePoint
from hetwin_bauer2022.robustness.levels import coordinate, is_beyond_hardware, shown_level
from hetwin_bauer2022.robustness.summary import OURS
from hetwin_suite.page import MAIN, SERIES, Chart, Line, Panel, PointStyle, Tint
from hetwin_suite.page import Axis as Across

_APPROACH_OFFSET = 0.011
"""Horizontal offset of two approaches at the same level, so that equal points stay visible; share of the width."""
_MARGIN = 0.06
_HEIGHT = 210
_SHARES = Across(range=(-0.04, 1.05), percent=True)


def colour_of(approach: str) -> str:
    """Return an approach's colour, the same in all plots."""
    return SERIES[APPROACHES.index(approach) % len(SERIES)]


def curves_figure(
    axis: Axis, levels: Sequence[float], curves: Sequence[Sequence[CurvePoint]]
) -> Chart:
    """Plot a line per approach with its interval as a band; the range of real hardware is shaded.

    Args:
        axis: axis of the levels.
        levels: all drawn levels, ascending.
        curves: points of each approach, by level.
    """
    coordinates = [coordinate(level, levels) for level in levels]
    width = max(coordinates) - min(coordinates) or 1.0
    low, high = min(coordinates) - _MARGIN * width, max(coordinates) + _MARGIN * width
    names = [points[0].line.approach for points in curves]
    order = sorted(curves, key=lambda points: points[0].line.approach == OURS)  # ours on top
    with_verdicts = [[point for point in points if point.of] for points in order]
    lines = [_line(axis, levels, points, width, names) for points in with_verdicts if points]
    ticks = [(at, shown_level(axis, level)) for at, level in zip(coordinates, levels, strict=True)]
    panel = Panel(lines, _SHARES, tints=_hardware(axis, levels, low, high))
    return Chart(
        [panel],
        x=Across(range=(low, high), ticks=ticks),
        height=_HEIGHT,
        levels=[GOOD_SHARE],
        single=True,
        legend=False,
    )


def _shift(approach: str, names: Sequence[str]) -> float:
    return (names.index(approach) - (len(names) - 1) / 2) * _APPROACH_OFFSET


def _line(
    axis: Axis,
    levels: Sequence[float],
    points: Sequence[CurvePoint],
    width: float,
    names: Sequence[str],
) -> Line:
    approach = points[0].line.approach
    shift = _shift(approach, names) * width
    lows, highs = zip(*(point.interval for point in points), strict=True)
    return Line(
        approach,
        [coordinate(point.level, levels) + shift for point in points],
        [point.share for point in points],
        colour_of(approach),
        width=2.6 if approach == OURS else 1.4,
        band=(lows, highs),
        points=[
            PointStyle.HOLLOW if is_beyond_hardware(axis, point.level) else PointStyle.CIRCLE
            for point in points
        ],
        texts=[_hover(axis, point) for point in points],
    )


def _hover(axis: Axis, point: CurvePoint) -> str:
    low, high = point.interval
    left_out = f", {point.not_applicable} n/a" if point.not_applicable else ""
    return (
        f"{point.line.approach} at {shown_level(axis, point.level)}: {point.right} of {point.of}"
        f" ({low:.0%} to {high:.0%}){left_out}"
    )


def _hardware(axis: Axis, levels: Sequence[float], low: float, high: float) -> list[Tint]:
    if axis.hardware is None:
        return []
    begin, end = (coordinate(level, levels) for level in axis.hardware)
    return [Tint(max(begin, low), min(end, high), MAIN)] if begin <= high and end >= low else []
