"""The findings of an evaluation: all valid stored verdicts, as curves and breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from hetwin_bauer2022.evaluation.approaches import APPROACHES, TASKS
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode
from hetwin_bauer2022.mismatch import Axis
from hetwin_bauer2022.robustness import fingerprints
from hetwin_bauer2022.robustness.curves import (
    Break,
    CurvePoint,
    Judgement,
    Line,
    breaks_of,
    curve_points,
)
from hetwin_bauer2022.robustness.kept import NONE, KeptVerdict, KeptVerdicts
from hetwin_bauer2022.robustness.sets import EpisodeSet
from hetwin_bauer2022.robustness.work import Point, VerdictStore


@dataclass(frozen=True)
class Findings:
    """All judgements, including those of earlier evaluations in the same folder.

    Attributes:
        sets: sets of episodes.
        axes: name -> measured axis.
        judgements: judgements at all levels; those of episodes as recorded are at the neutral level of each axis that
            was measured on their set.
    """

    sets: Sequence[EpisodeSet]
    axes: Mapping[str, Axis]
    judgements: Sequence[Judgement]

    @cached_property
    def curves(self) -> list[CurvePoint]:
        """Points of all curves."""
        return curve_points(self.judgements)

    @cached_property
    def lines(self) -> dict[Line, list[CurvePoint]]:
        """Points of each curve, by level; approaches are in their usual order."""
        lines: dict[Line, list[CurvePoint]] = {}
        for point in sorted(self.curves, key=lambda p: APPROACHES.index(p.line.approach)):
            lines.setdefault(point.line, []).append(point)
        return lines

    @cached_property
    def breaks(self) -> list[tuple[Line, Break]]:
        """Breaks of all curves."""
        return [
            (line, found)
            for line, points in self.lines.items()
            for found in breaks_of(points, self.axes[line.axis].none)
        ]

    def first_wrong(self, point: CurvePoint) -> Judgement | None:
        """Return the first wrong judgement of a curve at a level."""
        found = [
            one
            for one in self.judgements
            if one.line == point.line
            and one.level == point.level
            and not (one.verdict.right or one.verdict.not_applicable)
        ]
        return min(found, key=lambda one: one.verdict.name, default=None)


def findings(
    sets: Sequence[EpisodeSet], axes: Mapping[str, Axis], kept: KeptVerdicts, judged: VerdictStore
) -> Findings:
    """Collect the valid verdicts on these episodes.

    Args:
        sets: sets of episodes.
        axes: name -> installed axis.
        kept: stored verdicts.
        judged: decides which of them are valid.
    """
    known = {fingerprints.of_episode(e.folder): (one, e) for one in sets for e in one.episodes}
    counted = list(_counted(known, axes, kept, judged))
    measured = dict.fromkeys((one.name, v.axis) for one, v in counted if v.axis != NONE)
    judgements = [
        Judgement(one.name, one.scenario, one.grasp, axes[axis], level, verdict)
        for one, verdict in counted
        for axis, level in _places(one, verdict, axes, measured)
    ]
    return Findings(
        sets, {a: axes[a] for a in axes if any(a == m for _, m in measured)}, judgements
    )


def _counted(
    known: Mapping[str, tuple[EpisodeSet, LabelledEpisode]],
    axes: Mapping[str, Axis],
    kept: KeptVerdicts,
    judged: VerdictStore,
) -> Iterator[tuple[EpisodeSet, KeptVerdict]]:
    """Yield the valid verdicts, one for each question."""
    for question in kept.questions:
        is_known = question.axis == NONE or question.axis in axes
        if question.episode not in known or not is_known or question.approach not in APPROACHES:
            continue
        one, episode = known[question.episode]
        if one.scenario not in TASKS:
            continue
        axis = axes.get(question.axis)
        point = Point(one.name, episode, question.episode, axis, question.level)
        if (verdict := judged.verdict(point, question.approach)) is not None:
            yield one, verdict


def _places(
    one: EpisodeSet,
    verdict: KeptVerdict,
    axes: Mapping[str, Axis],
    measured: Mapping[tuple[str, str], None],
) -> list[tuple[str, float]]:
    """Return axis and level of a verdict; for an episode as recorded, those of all axes of its set."""
    if verdict.axis != NONE:
        return [(verdict.axis, verdict.level)]
    return [(axis, axes[axis].none) for name, axis in measured if name == one.name]
