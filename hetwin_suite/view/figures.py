"""Figures of pages: charts of lines and points, and rows of bars over time; the page's script draws them.

For example::

    line = Line("height", times, heights, SERIES[0], unit="m")
    figure = Chart([Panel([line], Axis("height [m]"))], span=(0.0, 12.0))

Names and texts are plain text: nothing in them is read as markup.
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
"""From when to when [s]."""
_MOST_POINTS = 1600


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
    """Which half of its row a bar takes."""

    UPPER = "upper"
    LOWER = "lower"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line through points; there is a gap where something is not a number.

    Attributes:
        name: in the legend; lines of one name are shown and left out together.
        x: (n,) across.
        y: (n,) up.
        colour: as ``#rrggbb``.
        unit: behind the numbers under the pointer; ``%`` for shares.
        decimals: of these numbers; -1: five digits that count.
        style: how the points are joined.
        width: in points of the screen.
        opacity: 0 to 1.
        band: lower and upper edge of a band around the line, (n,) each.
        points: how its points are drawn, all or each; none if empty.
        texts: of each point under the pointer instead of its numbers.
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
        title: with the unit in brackets.
        range: shown at first; None: of the data.
        percent: whether shares are shown in percent.
        from_zero: whether zero is shown.
        ticks: places and their labels; empty: round numbers.
    """

    title: str = ""
    range: tuple[float, float] | None = None
    percent: bool = False
    from_zero: bool = False
    ticks: Sequence[tuple[float, str]] = ()


@dataclass(frozen=True, slots=True)
class Tint:
    """A stretch of time, or of another horizontal quantity, in a colour behind all else."""

    begin: float
    end: float
    colour: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One of the charts of a figure.

    Attributes:
        lines: drawn, the last on top.
        y: the axis up.
        title: above it.
        tints: behind the lines.
        share: of the figure's height.
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
        span: the whole range of the time that is across, which figures of the same span are zoomed in together;
            None if it is something else.
        x: the axis across.
        height: of all panels [points of the screen].
        marks: dotted lines across all panels.
        levels: dotted lines at values.
        equal: whether both axes have the same scale.
        single: whether the pointer is shown one point, and not the values of all lines there.
        legend: whether there is one.
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
    """Something that lasts, in a row.

    Attributes:
        row: name of the row.
        begin: [s]
        end: [s]
        colour: as ``#rrggbb``.
        text: on the bar.
        title: under the pointer.
        detail: lines about it under the pointer, below its times.
        part: which half of the row it takes; None: all of it.
        kind: its name in the legend; empty for none.
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
        rows: their names, from the top; each once.
        bars: in them.
        span: the whole range of time.
        tints: behind all rows.
        marks: dotted lines across all rows.
    """

    rows: Sequence[str]
    bars: Sequence[Bar]
    span: Span
    tints: Sequence[Tint] = ()
    marks: Sequence[float] = ()

    @property
    def height(self) -> int:
        """About how high it is drawn [points of the screen]."""
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
        """Return the number of a figure."""
        self.figures.append(self._chart(figure) if isinstance(figure, Chart) else _rows(figure))
        return len(self.figures) - 1

    def as_json(self) -> dict[str, Any]:
        """Data for the script; see ``figure.ts``."""
        return {"arrays": list(self.arrays), "figures": self.figures}

    def _chart(self, chart: Chart) -> dict[str, Any]:
        panels = [
            {**_told(panel), "lines": [self._line(line) for line in panel.lines]}
            for panel in chart.panels
        ]
        return {**_told(chart), "kind": "chart", "panels": panels}

    def _line(self, line: Line) -> dict[str, Any]:
        low, high = (None, None) if line.band is None else map(self._array, line.band)
        edges = {"x": self._array(line.x), "y": self._array(line.y), "low": low, "high": high}
        return {**_told(line, leave_out=("x", "y", "band")), **edges}

    def _array(self, values: ArrayLike) -> int:
        """The number of an array: base64 of float32, which is compact, and finer than any screen."""
        data = np.ascontiguousarray(values, "<f4").tobytes()
        return self.arrays.setdefault(base64.b64encode(data).decode("ascii"), len(self.arrays))


def _rows(rows: Rows) -> dict[str, Any]:
    numbers = {name: number for number, name in enumerate(rows.rows)}
    bars = [{**_told(bar), "row": numbers[bar.row]} for bar in rows.bars]
    return {**_told(rows), "kind": "rows", "bars": bars}


def _told(one: Any, leave_out: Iterable[str] = ("panels", "lines", "bars")) -> Any:
    """A dataclass as JSON has it; a tint as a row of three."""
    if isinstance(one, Tint):
        return [one.begin, one.end, one.colour]
    if is_dataclass(one):
        names = [item.name for item in fields(one) if item.name not in leave_out]
        return {name: _told(getattr(one, name)) for name in names}
    if isinstance(one, Sequence) and not isinstance(one, str):
        return [_told(item) for item in one]
    return one


def over(episode: Episode) -> Span:
    """The time of a run [s]."""
    return episode.start_ns / 1e9, episode.end_ns / 1e9


def thinned(count: int) -> NDArray[np.intp]:
    """Which of `count` points to draw: at most some 1600, with the first and the last."""
    if count <= _MOST_POINTS:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, _MOST_POINTS).round().astype(np.intp))


def lines_over(
    episode: Episode, series: Mapping[str, ArrayLike], colours: Sequence[str], **more: Any
) -> Iterator[Line]:
    """Lines over the time of a run, thinned.

    Args:
        episode: the run.
        series: (n,) a value for each state of the run, by the names of the lines.
        colours: of the lines in turn.
        more: of `Line`, the same for all.
    """
    chosen = thinned(len(episode.times))
    times = episode.seconds[chosen]
    for number, (name, values) in enumerate(series.items()):
        drawn = np.asarray(values)[chosen]
        yield Line(name, times, drawn, colours[number % len(colours)], **more)
