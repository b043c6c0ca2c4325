"""Where the frame in which odometry began lies in the world, and when a localization corrects it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hetwin_core.ensemble.scene.poses import rotate
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.sentences.catalogue import length
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.base.turns import about_vertical, turn_between
from model_nodes.main_physics.world.description import Pose
from model_nodes.main_physics.world.transforms import compose, invert

LEAST_SHIFT = 1e-4
LEAST_TURN = 1e-4
"""Smaller corrections [m, rad] wait until they add up to as much."""


class Placement:
    """Poses of odometry's frame in the world, each from its time on; the first one also before.

    Args:
        first: from the beginning on.
        origin: who corrects it, for the words of a correction.
    """

    def __init__(self, first: Pose, origin: str = "") -> None:
        self._origin = origin
        self._times: list[int] = []
        self._poses: list[Pose] = [first]
        self._words: list[str] = []

    def correct(self, time_ns: int, pose: Pose, odometry: Sequence[float]) -> None:
        """Let odometry's frame be at another pose from a time on.

        Args:
            time_ns: not before the last correction.
            pose: of odometry's frame in the world.
            odometry: (7,) pose of the base in odometry's frame when the correction was measured.
        """
        before, after = compose(self._poses[-1], odometry[:7]), compose(pose, odometry[:7])
        shift = math.dist(before[:3], after[:3])
        turn = _angle(before, after)
        if shift < LEAST_SHIFT and turn < LEAST_TURN:
            return
        self._times.append(time_ns)
        self._poses.append(pose)
        self._words.append(
            f"{self._origin} puts it {length(shift)} and {math.degrees(turn):.2f} degrees"
            " away from where odometry has it"
        )

    def put(self, time_ns: int, target: Pose, odometry: Sequence[float]) -> None:
        """Move odometry's frame in the plane, so that the base comes to a place and a heading.

        Args:
            time_ns: not before the last correction.
            target: of the base in the world; its height and tilt do not count.
            odometry: (7,) pose of the base in odometry's frame when the target was measured.
        """
        self.correct(time_ns, moved_in_plane(self._poses[-1], target, odometry), odometry)

    def at(self, times_ns: Int64s) -> Floats:
        """(n, 7) poses of odometry's frame in the world at times (n,)."""
        indices = np.searchsorted(np.array(self._times, np.int64), times_ns, side="right")
        return np.asarray(np.array(self._poses)[indices])

    def words(self, since_ns: int, times_ns: Int64s) -> list[str]:
        """Return what was corrected up to and including each time (n,), after the one before; empty if nothing was."""
        until = np.append(since_ns, times_ns)
        ends = np.searchsorted(np.array(self._times, np.int64), until, side="right").tolist()
        return ["; ".join(self._words[a:b]) for a, b in pairwise(ends)]

    def advance(self, after_ns: int, by_ns: int) -> None:
        """Let the corrections after a time come earlier, but not before that time."""
        self._times = [t if t <= after_ns else max(t - by_ns, after_ns) for t in self._times]


def moved_in_plane(pose: Pose, target: Pose, odometry: Sequence[float]) -> Pose:
    """Return the pose of odometry's frame, moved in the plane so that the base comes to a place and a heading.

    Args:
        pose: of odometry's frame in the world.
        target: of the base in the world; its height and tilt do not count.
        odometry: (7,) pose of the base in odometry's frame.
    """
    base = compose(pose, odometry[:7])
    turn = about_vertical(turn_between(base[3:7], target[3:7]))
    x, y, _ = rotate(turn, base[:3])
    return compose((target[0] - x, target[1] - y, 0.0, *turn), pose)


def beginning_at(start: Pose, odometry: Sequence[float]) -> Pose:
    """Return the pose of odometry's frame with which the base is at `start` when odometry has it at `odometry`."""
    return compose(start, invert(odometry[:7]))


def _angle(first: Pose, second: Pose) -> float:
    cosine = abs(sum(a * b for a, b in zip(first[3:7], second[3:7], strict=True)))
    return 2.0 * math.acos(min(cosine, 1.0))
