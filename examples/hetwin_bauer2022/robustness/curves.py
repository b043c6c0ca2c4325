"""Curves over the levels of an axis, and their breaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hetwin_bauer2022.mismatch import Axis
from hetwin_bauer2022.robustness.stored_verdicts import StoredVerdict
from hetwin_suite.study import probability

GOOD_SHARE = 0.8
"""Share of right verdicts below which an approach breaks."""
TRUTHS = ("success", "failure")


class CurveKey(NamedTuple):
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

    line: CurveKey
    level: float
    unit: str
    right: int
    of: int
    not_applicable: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the share (Wilson)."""
        by_point = probability(self.right, self.of)
        return by_point.low, by_point.high

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
        place_of_curve = {"level": self.level, "unit": self.unit}
        return {**self.line._asdict(), **place_of_curve, **counts, "low": low, "high": high}


class Judgement(NamedTuple):
    """A verdict at a level of an axis, with the subject of its curve."""

    set: str
    scenario: str
    grasp: str
    axis: Axis
    level: float
    verdict: StoredVerdict

    @property
    def line(self) -> CurveKey:
        """The curve."""
        truth = TRUTHS[0] if self.verdict.truth else TRUTHS[1]
        place_of_curve = (self.set, self.scenario, self.grasp, self.axis.name)
        return CurveKey(*place_of_curve, truth, self.verdict.approach)


def curve_points(judgements: Iterable[Judgement]) -> list[CurvePoint]:
    """Count the right verdicts of each curve at each level, in the order of levels."""
    by_point: dict[tuple[CurveKey, float, str], list[StoredVerdict]] = {}
    for judgement in judgements:
        by_point.setdefault((judgement.line, judgement.level, judgement.axis.unit), []).append(
            judgement.verdict
        )
    return [
        _curve_point(*key, verdicts)
        for key, verdicts in sorted(by_point.items(), key=lambda item: item[0])
    ]


def _curve_point(
    line: CurveKey, level: float, unit: str, verdicts: Sequence[StoredVerdict]
) -> CurvePoint:
    applicable = [verdict for verdict in verdicts if not verdict.not_applicable]
    right = sum(verdict.right for verdict in applicable)
    return CurvePoint(line, level, unit, right, len(applicable), len(verdicts) - len(applicable))


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
    if at_neutral := [point for point in points if point.level == none and point.breaks]:
        return [Break(at_neutral[0], 0)]
    by_point = []
    for direction in (-1, 1):
        side = [point for point in points if direction * (point.level - none) > 0]
        side.sort(key=lambda point: abs(point.level - none))
        by_point += [Break(point, direction) for point in side if point.breaks][:1]
    return by_point


def nearest_breaks(
    breaks: Sequence[tuple[CurveKey, Break]], none: float
) -> list[tuple[CurveKey, Break]]:
    """Return the breaks closest to the neutral level, one for each side.

    Args:
        breaks: breaks of all curves of an axis.
        none: the neutral level.
    """
    chosen = []
    for direction in (-1, 0, 1):
        side = [
            (line, found_break)
            for line, found_break in breaks
            if found_break.direction == direction
        ]
        side.sort(key=lambda item: (abs(item[1].point.level - none), item[1].point.share))
        chosen += side[:1]
    return chosen
