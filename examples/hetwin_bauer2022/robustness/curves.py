"""Curves over the levels of an axis, and their breaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hetwin_bauer2022.mismatch import Axis
from hetwin_bauer2022.robustness.kept import KeptVerdict
from hetwin_suite.study import probability

GOOD_SHARE = 0.8
"""Share of right verdicts below which an approach breaks."""
TRUTHS = ("success", "failure")


class Line(NamedTuple):
    """The subject of a curve."""

    set: str
    scenario: str
    grasp: str
    axis: str
    truth: str
    approach: str


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The verdicts of a curve at one level.

    Attributes:
        line: the curve.
        level: level on the axis.
        unit: unit of the level.
        right: number of right verdicts.
        of: number of all verdicts.
        not_applicable: number of verdicts that are left out, see `Verdict.not_applicable`.
    """

    line: Line
    level: float
    unit: str
    right: int
    of: int
    not_applicable: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the share (Wilson)."""
        found = probability(self.right, self.of)
        return found.low, found.high

    @property
    def share(self) -> float:
        """Share of right verdicts; NaN without verdicts."""
        return self.right / self.of if self.of else float("nan")

    @property
    def breaks(self) -> bool:
        """Whether the share is below `GOOD_SHARE`."""
        return self.of > 0 and self.right < GOOD_SHARE * self.of

    def as_json(self) -> dict[str, object]:
        """Return the JSON representation as one flat object."""
        low, high = self.interval
        counts = {"right": self.right, "of": self.of, "not_applicable": self.not_applicable}
        where = {"level": self.level, "unit": self.unit}
        return {**self.line._asdict(), **where, **counts, "low": low, "high": high}


class Judgement(NamedTuple):
    """A verdict at a level of an axis, with the subject of its curve."""

    set: str
    scenario: str
    grasp: str
    axis: Axis
    level: float
    verdict: KeptVerdict

    @property
    def line(self) -> Line:
        """The curve."""
        truth = TRUTHS[0] if self.verdict.truth else TRUTHS[1]
        where = (self.set, self.scenario, self.grasp, self.axis.name)
        return Line(*where, truth, self.verdict.approach)


def curve_points(judgements: Iterable[Judgement]) -> list[CurvePoint]:
    """Count the right verdicts of each curve at each level, in the order of levels."""
    found: dict[tuple[Line, float, str], list[KeptVerdict]] = {}
    for one in judgements:
        found.setdefault((one.line, one.level, one.axis.unit), []).append(one.verdict)
    return [
        _counted(*key, verdicts)
        for key, verdicts in sorted(found.items(), key=lambda item: item[0])
    ]


def _counted(line: Line, level: float, unit: str, verdicts: Sequence[KeptVerdict]) -> CurvePoint:
    counted = [verdict for verdict in verdicts if not verdict.not_applicable]
    right = sum(verdict.right for verdict in counted)
    return CurvePoint(line, level, unit, right, len(counted), len(verdicts) - len(counted))


class Break(NamedTuple):
    """A level at which a curve falls below `GOOD_SHARE`, going outwards from the neutral level.

    Attributes:
        point: first point below it.
        direction: -1 below the neutral level, 1 above it, 0 at it.
    """

    point: CurvePoint
    direction: int


def breaks_of(points: Sequence[CurvePoint], none: float) -> list[Break]:
    """Return the breaks of one curve: at the neutral level, or at most one on each side.

    Args:
        points: points of the curve.
        none: the neutral level.
    """
    if at := [point for point in points if point.level == none and point.breaks]:
        return [Break(at[0], 0)]
    found = []
    for direction in (-1, 1):
        side = [point for point in points if direction * (point.level - none) > 0]
        side.sort(key=lambda point: abs(point.level - none))
        found += [Break(point, direction) for point in side if point.breaks][:1]
    return found


def nearest_breaks(mine: Sequence[tuple[Line, Break]], none: float) -> list[tuple[Line, Break]]:
    """Return the breaks closest to the neutral level, one for each side.

    Args:
        mine: breaks of all curves of an axis.
        none: the neutral level.
    """
    chosen = []
    for direction in (-1, 0, 1):
        side = [(line, one) for line, one in mine if one.direction == direction]
        side.sort(key=lambda item: (abs(item[1].point.level - none), item[1].point.share))
        chosen += side[:1]
    return chosen
