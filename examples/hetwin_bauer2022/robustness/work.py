"""The work of an evaluation: episodes at levels, each with the approaches that judge it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hetwin_bauer2022.evaluation.episodes import LabelledEpisode
from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.mismatch import Axis
from hetwin_bauer2022.robustness import fingerprints
from hetwin_bauer2022.robustness.kept import (
    NONE,
    KeptVerdict,
    KeptVerdicts,
    Question,
)
from hetwin_bauer2022.robustness.levels import Levels
from hetwin_bauer2022.robustness.sets import EpisodeSet


@dataclass(frozen=True, slots=True)
class Point:
    """An episode at a level of an axis.

    Attributes:
        set: name of the episode's set.
        episode: recorded episode.
        digest: digest of its files.
        axis: axis of mismatch; None: as recorded.
        level: level on the axis.
    """

    set: str
    episode: LabelledEpisode
    digest: str
    axis: Axis | None
    level: float

    def question(self, approach: str) -> Question:
        """Return the question that a verdict of an approach answers."""
        return Question(self.digest, self.axis.name if self.axis else NONE, self.level, approach)


@dataclass(frozen=True, slots=True)
class Piece:
    """A point and its missing approaches, each with the fingerprint of everything that decides the verdict."""

    point: Point
    approaches: tuple[tuple[str, str], ...]


class VerdictStore:
    """The stored verdicts on requested points.

    Args:
        kept: verdicts of earlier evaluations; new ones are added.
        replay: contact settings and engine.
        trusts: whether verdicts made by other versions of the code are valid.
    """

    def __init__(self, kept: KeptVerdicts, replay: Replay, trusts: bool) -> None:
        self._kept, self._trusts = kept, trusts
        self._physics = f"{replay.contacts} {replay.engine}"

    def fingerprint(self, point: Point, approach: str) -> str:
        """Return the fingerprint of everything that decides the verdict."""
        scenario = point.episode.scenario
        return fingerprints.of_approach(scenario, approach, point.axis, self._physics)

    def verdict(self, point: Point, approach: str) -> KeptVerdict | None:
        """Return the valid verdict; None if there is none."""
        question = point.question(approach)
        found = self._kept.find(question, self.fingerprint(point, approach))
        return found or (self._kept.find(question, None) if self._trusts else None)

    def missing(self, points: Sequence[Point], approaches: Sequence[str]) -> list[Piece]:
        """Return the missing work in the order of the points."""
        pieces = []
        for point in points:
            left = [a for a in approaches if self.verdict(point, a) is None]
            if left:
                pieces.append(Piece(point, tuple((a, self.fingerprint(point, a)) for a in left)))
        return pieces


def points_of(sets: Sequence[EpisodeSet], axes: Sequence[Levels], first: int | None) -> list[Point]:
    """Return the points in the order in which they are judged.

    The first episodes of all sets at all levels come first, so that an interrupted evaluation has points of all curves.

    Args:
        sets: sets of episodes.
        axes: axes with their levels.
        first: number of successful and of failed episodes of each set; None: all.
    """
    chosen = [(one.name, one.first(first)) for one in sets]
    most = max((len(episodes) for _, episodes in chosen), default=0)
    points: list[Point] = []
    for rank in range(most):
        for name, episodes in chosen:
            if rank < len(episodes):
                points += _of_episode(name, episodes[rank], axes)
    return points


def _of_episode(name: str, episode: LabelledEpisode, axes: Sequence[Levels]) -> Iterator[Point]:
    digest = fingerprints.of_episode(episode.folder)
    yield Point(name, episode, digest, None, 0.0)
    for one in axes:
        if one.axis.concerns(episode.grasp):
            for level in one.levels:
                yield Point(name, episode, digest, one.axis, level)
