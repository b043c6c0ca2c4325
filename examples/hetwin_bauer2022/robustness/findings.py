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
    CurveKey,
    CurvePoint,
    Judgement,
    breaks_of,
    curve_points,
)
from hetwin_bauer2022.robustness.sets import EpisodeSet
from hetwin_bauer2022.robustness.stored_verdicts import AS_RECORDED, StoredVerdict, VerdictFile
from hetwin_bauer2022.robustness.work_items import Point, ValidVerdicts


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
    def lines(self) -> dict[CurveKey, list[CurvePoint]]:
        """Points of each curve, by level; approaches are in their usual order."""
        lines: dict[CurveKey, list[CurvePoint]] = {}
        for point in sorted(self.curves, key=lambda p: APPROACHES.index(p.line.approach)):
            lines.setdefault(point.line, []).append(point)
        return lines

    @cached_property
    def breaks(self) -> list[tuple[CurveKey, Break]]:
        """Breaks of all curves."""
        return [
            (line, found_break)
            for line, points in self.lines.items()
            for found_break in breaks_of(points, self.axes[line.axis].none)
        ]

    def first_wrong(self, point: CurvePoint) -> Judgement | None:
        """Return the first wrong judgement of a curve at a level."""
        wrong = [
            judgement
            for judgement in self.judgements
            if judgement.line == point.line
            and judgement.level == point.level
            and not (judgement.verdict.right or judgement.verdict.not_applicable)
        ]
        return min(wrong, key=lambda judgement: judgement.verdict.name, default=None)


def collect_findings(
    sets: Sequence[EpisodeSet],
    axes: Mapping[str, Axis],
    stored: VerdictFile,
    valid_verdicts: ValidVerdicts,
) -> Findings:
    """Collect the valid verdicts on these episodes.

    Args:
        sets: sets of episodes.
        axes: name -> installed axis.
        stored: stored verdicts.
        valid_verdicts: decides which of them are valid.
    """
    by_digest = {fingerprints.of_episode(e.folder): (s, e) for s in sets for e in s.episodes}
    valid = list(_valid_verdicts(by_digest, axes, stored, valid_verdicts))
    measured = dict.fromkeys(
        (episode_set.name, v.axis) for episode_set, v in valid if v.axis != AS_RECORDED
    )
    judgements = [
        Judgement(
            episode_set.name, episode_set.scenario, episode_set.grasp, axes[axis], level, verdict
        )
        for episode_set, verdict in valid
        for axis, level in _levels_of_verdict(episode_set, verdict, axes, measured)
    ]
    return Findings(
        sets, {a: axes[a] for a in axes if any(a == m for _, m in measured)}, judgements
    )


def _valid_verdicts(
    by_digest: Mapping[str, tuple[EpisodeSet, LabelledEpisode]],
    axes: Mapping[str, Axis],
    stored: VerdictFile,
    valid_verdicts: ValidVerdicts,
) -> Iterator[tuple[EpisodeSet, StoredVerdict]]:
    """Yield the valid verdicts, one for each question."""
    for question in stored.questions:
        is_known = question.axis == AS_RECORDED or question.axis in axes
        if question.episode not in by_digest or not is_known or question.approach not in APPROACHES:
            continue
        episode_set, episode = by_digest[question.episode]
        if episode_set.scenario not in TASKS:
            continue
        axis = axes.get(question.axis)
        point = Point(episode_set.name, episode, question.episode, axis, question.level)
        if (verdict := valid_verdicts.verdict(point, question.approach)) is not None:
            yield episode_set, verdict


def _levels_of_verdict(
    episode_set: EpisodeSet,
    verdict: StoredVerdict,
    axes: Mapping[str, Axis],
    measured: Mapping[tuple[str, str], None],
) -> list[tuple[str, float]]:
    """Return axis and level of a verdict; for an episode as recorded, those of all axes of its set."""
    if verdict.axis != AS_RECORDED:
        return [(verdict.axis, verdict.level)]
    return [(axis, axes[axis].none) for name, axis in measured if name == episode_set.name]
