"""Figures of pages, drawn by the page's script: charts of lines and points, and rows of bars over time.

For example::

    line = Line("height", times, heights, SERIES[0], unit="m")
    figure = Chart([Panel([line], Axis("height [m]"))], span=(0.0, 12.0))

Names and texts are plain text, not markup.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hetwin_core.episodes.episode import Episode

Span: TypeAlias = tuple[float, float]
"""Begin and end of a time span [s]."""
_MAX_POINTS = 1600


class LineStyle(StrEnum):
    """How the points of a line are joined."""

    SOLID = "solid"
    DOTTED = "dotted"
    STEPS = "steps"
    """A value holds until the next point."""
    NONE = "none"


class PointStyle(StrEnum):
    """How points are drawn."""

    CIRCLE = "circle"
    HOLLOW = "hollow"
    CROSS = "cross"


class Part(StrEnum):
    """The half of a row that a bar occupies."""

    UPPER = "upper"
    LOWER = "lower"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line through points, with a gap at each NaN.

    Attributes:
        name: name in the legend; lines of the same name are shown and hidden together.
        x: (n,) horizontal values.
        y: (n,) vertical values.
        colour: as ``#rrggbb``.
        unit: unit of the numbers in the tooltip; ``%`` for fractions.
        decimals: decimals of these numbers; -1: five significant digits.
        style: how the points are joined.
        width: line width in CSS pixels.
        opacity: 0 to 1.
        band: lower and upper edge of a band around the line, (n,) each.
        points: style of all points (one item) or of each point; empty: points are not drawn.
        texts: text of each point in the tooltip, instead of its numbers.
    """

    name: str
    x: ArrayLike
    y: ArrayLike
    colour: str
    unit: str = ""
    decimals: int = 3
    style: LineStyle = LineStyle.SOLID
    width: float = 1.8
    opacity: float = 1.0
    band: tuple[ArrayLike, ArrayLike] | None = None
    points: Sequence[PointStyle] = ()
    texts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a chart.

    Attributes:
        title: title, with the unit in brackets.
        range: initial range; None: range of the data.
        percent: whether fractions are shown in percent.
        from_zero: whether the range includes zero.
        ticks: positions and labels of the ticks; empty: round numbers.
    """

    title: str = ""
    range: tuple[float, float] | None = None
    percent: bool = False
    from_zero: bool = False
    ticks: Sequence[tuple[float, str]] = ()


@dataclass(frozen=True, slots=True)
class Tint:
    """A coloured background over a range of the horizontal axis."""

    begin: float
    end: float
    colour: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One of the charts of a figure.

    Attributes:
        lines: the lines, the last one on top.
        y: the vertical axis.
        title: title above the panel.
        tints: backgrounds behind the lines.
        share: height relative to the other panels.
    """

    lines: Sequence[Line]
    y: Axis = Axis()
    title: str = ""
    tints: Sequence[Tint] = ()
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart, or several below each other that share the horizontal axis.

    Attributes:
        panels: the charts, from the top.
        span: range of time on the horizontal axis, in which figures of the same span zoom together; None if the axis is
            not time.
        x: the horizontal axis.
        height: height of all panels [CSS pixels].
        marks: vertical dotted lines in all panels.
        levels: horizontal dotted lines.
        equal: whether both axes have the same scale.
        single: whether the tooltip shows only the nearest point instead of the values of all lines.
        legend: whether there is a legend.
    """

    panels: Sequence[Panel]
    span: Span | None = None
    x: Axis = Axis()
    height: int = 300
    marks: Sequence[float] = ()
    levels: Sequence[float] = ()
    equal: bool = False
    single: bool = False
    legend: bool = True


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar over a time interval in a row.

    Attributes:
        row: name of the row.
        begin: begin [s].
        end: end [s].
        colour: as ``#rrggbb``.
        text: text on the bar.
        title: title of the tooltip.
        detail: lines of the tooltip below its times.
        part: half of the row that it occupies; None: the whole row.
        kind: name in the legend; empty for none.
    """

    row: str
    begin: float
    end: float
    colour: str
    text: str = ""
    title: str = ""
    detail: str = ""
    part: Part | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of bars over time.

    Attributes:
        rows: names of the rows from the top, without duplicates.
        bars: the bars.
        span: range of time on the horizontal axis.
        tints: backgrounds behind all rows.
        marks: vertical dotted lines in all rows.
    """

    rows: Sequence[str]
    bars: Sequence[Bar]
    span: Span
    tints: Sequence[Tint] = ()
    marks: Sequence[float] = ()

    @property
    def height(self) -> int:
        """Approximate height of the drawing [CSS pixels]."""
        return 30 + 27 * len(self.rows)


Figure: TypeAlias = Chart | Rows


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure with its heading and a sentence on how to read it."""

    title: str
    text: str
    figure: Figure


@dataclass(slots=True)
class Figures:
    """The figures of a page, and the arrays that they share, each kept once."""

    figures: list[dict[str, Any]] = field(default_factory=list)
    arrays: dict[str, int] = field(default_factory=dict)

    def add(self, figure: Figure) -> int:
        """Add a figure; returns its number."""
        self.figures.append(self._chart(figure) if isinstance(figure, Chart) else _rows(figure))
        return len(self.figures) - 1

    def as_json(self) -> dict[str, Any]:
        """Return the data for the script; see ``figure.ts``."""
        return {"arrays": list(self.arrays), "figures": self.figures}

    def _chart(self, chart: Chart) -> dict[str, Any]:
        panels = [
            {**_plain(panel), "lines": [self._line(line) for line in panel.lines]}
            for panel in chart.panels
        ]
        return {**_plain(chart), "kind": "chart", "panels": panels}

    def _line(self, line: Line) -> dict[str, Any]:
        low, high = (None, None) if line.band is None else map(self._array, line.band)
        edges = {"x": self._array(line.x), "y": self._array(line.y), "low": low, "high": high}
        return {**_plain(line, leave_out=("x", "y", "band")), **edges}

    def _array(self, values: ArrayLike) -> int:
        """Add an array as base64 of float32, whose precision exceeds that of a screen; returns its number."""
        data = np.ascontiguousarray(values, "<f4").tobytes()
        return self.arrays.setdefault(base64.b64encode(data).decode("ascii"), len(self.arrays))


def _rows(rows: Rows) -> dict[str, Any]:
    numbers = {name: number for number, name in enumerate(rows.rows)}
    bars = [{**_plain(bar), "row": numbers[bar.row]} for bar in rows.bars]
    return {**_plain(rows), "kind": "rows", "bars": bars}


def _plain(value: Any, leave_out: Iterable[str] = ("panels", "lines", "bars")) -> Any:
    """Return a dataclass as plain JSON; a tint becomes a list of begin, end and colour."""
    if isinstance(value, Tint):
        return [value.begin, value.end, value.colour]
    if is_dataclass(value):
        names = [item.name for item in fields(value) if item.name not in leave_out]
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def time_span(episode: Episode) -> Span:
    """Return the time span of a run [s]."""
    return episode.start_ns / 1e9, episode.end_ns / 1e9


def drawn_indices(count: int) -> NDArray[np.intp]:
    """Return the indices of the points to draw: at most `_MAX_POINTS`, including the first and the last."""
    if count <= _MAX_POINTS:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, _MAX_POINTS).round().astype(np.intp))


def lines_over(
    episode: Episode, series: Mapping[str, ArrayLike], colours: Sequence[str], **more: Any
) -> Iterator[Line]:
    """Yield lines over the time of a run, with at most about 1600 points each.

    Args:
        episode: the run.
        series: name of a line -> (n,) values, one for each state of the run.
        colours: colours of the lines, repeated if there are fewer colours than lines.
        more: further arguments of each `Line`.
    """
    indices = drawn_indices(len(episode.times))
    times = episode.seconds[indices]
    for number, (name, values) in enumerate(series.items()):
        shown_values = np.asarray(values)[indices]
        yield Line(name, times, shown_values, colours[number % len(colours)], **more)
