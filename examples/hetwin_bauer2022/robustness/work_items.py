"""The work items of an evaluation: episodes at levels, each with the approaches that judge it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hetwin_bauer2022.evaluation.episodes import LabelledEpisode
from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.mismatch import Axis
from hetwin_bauer2022.robustness import fingerprints
from hetwin_bauer2022.robustness.levels import Levels
from hetwin_bauer2022.robustness.sets import EpisodeSet
from hetwin_bauer2022.robustness.stored_verdicts import (
    AS_RECORDED,
    StoredVerdict,
    VerdictFile,
    VerdictKey,
)


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

    def question(self, approach: str) -> VerdictKey:
        """Return the question that a verdict of an approach answers."""
        return VerdictKey(
            self.digest, self.axis.name if self.axis else AS_RECORDED, self.level, approach
        )


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A point and its missing approaches, each with the fingerprint of everything that decides the verdict."""

    point: Point
    approaches: tuple[tuple[str, str], ...]


class ValidVerdicts:
    """The stored verdicts on requested points.

    Args:
        stored: verdicts of earlier evaluations; new ones are added.
        replay: contact settings and engine.
        trust_stored: whether verdicts made by other versions of the code are valid.
    """

    def __init__(self, stored: VerdictFile, replay: Replay, trust_stored: bool) -> None:
        self._stored, self._trust_stored = stored, trust_stored
        self._physics = f"{replay.contacts} {replay.engine}"

    def fingerprint(self, point: Point, approach: str) -> str:
        """Return the fingerprint of everything that decides the verdict."""
        scenario = point.episode.scenario
        return fingerprints.of_approach(scenario, approach, point.axis, self._physics)

    def verdict(self, point: Point, approach: str) -> StoredVerdict | None:
        """Return the valid verdict; None if there is none."""
        question = point.question(approach)
        stored = self._stored.find(question, self.fingerprint(point, approach))
        return stored or (self._stored.find(question, None) if self._trust_stored else None)

    def missing(self, points: Sequence[Point], approaches: Sequence[str]) -> list[WorkItem]:
        """Return the missing work in the order of the points."""
        items = []
        for point in points:
            missing = [a for a in approaches if self.verdict(point, a) is None]
            if missing:
                items.append(
                    WorkItem(point, tuple((a, self.fingerprint(point, a)) for a in missing))
                )
        return items


def points_of(sets: Sequence[EpisodeSet], axes: Sequence[Levels], first: int | None) -> list[Point]:
    """Return the points in the order in which they are judged.

    The first episodes of all sets at all levels come first, so that an interrupted evaluation has points of all curves.

    Args:
        sets: sets of episodes.
        axes: axes with their levels.
        first: number of successful and of failed episodes of each set; None: all.
    """
    chosen = [(episode_set.name, episode_set.first(first)) for episode_set in sets]
    max_count = max((len(episodes) for _, episodes in chosen), default=0)
    points: list[Point] = []
    for rank in range(max_count):
        for name, episodes in chosen:
            if rank < len(episodes):
                points += _of_episode(name, episodes[rank], axes)
    return points


def _of_episode(name: str, episode: LabelledEpisode, axes: Sequence[Levels]) -> Iterator[Point]:
    digest = fingerprints.of_episode(episode.folder)
    yield Point(name, episode, digest, None, 0.0)
    for axis_levels in axes:
        if axis_levels.axis.concerns(episode.grasp):
            for level in axis_levels.levels:
                yield Point(name, episode, digest, axis_levels.axis, level)
