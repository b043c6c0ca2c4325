"""Smooth motion through the recorded poses of a robot's base, placed in the world and played back.

Six numbers are its pose: the position, the angle by which it has turned about the vertical since its first pose
(it goes on growing, turn after turn), and by which rotation vector it tilts. They are interpolated as the positions of
joints are (see `interpolation`), and the twist is that of the interpolated motion, whatever the messages have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hetwin_core.ensemble.scene.poses import Quaternion, conjugate, multiply, rotate
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.sentences.catalogue import length
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.part import BaseMotion
from model_nodes.main_physics.sources.playback import Ahead, Interpolator
from model_nodes.main_physics.sources.transforms import composed, crossed, rotated
from model_nodes.main_physics.world.description import Pose
from model_nodes.main_physics.world.transforms import compose, invert

NUMBERS = ("x", "y", "z", "turn", "tilt_x", "tilt_y")
_TINY = 1e-9


class PoseNumbers:
    """Converts poses, in the order of time, to the numbers that are interpolated, and back.

    Args:
        first: (7,) the pose from which turns and tilts count.
    """

    def __init__(self, first: Floats) -> None:
        self._first = _rotation(first[None, 3:7])
        self._back = _rotation(first[None, 3:7] * (1.0, -1.0, -1.0, -1.0))
        self._turn = 0.0

    def numbers(self, poses: Floats) -> Floats:
        """(n, 6) the numbers of poses (n, 7), which follow those of the calls before."""
        since = composed(_rotation(poses[:, 3:7]), self._back)[:, 3:7]
        turns = 2.0 * np.arctan2(since[:, 3], since[:, 0])
        turns = np.unwrap(np.append(self._turn, turns))[1:]
        self._turn = float(turns[-1])
        tilts = composed(_about_vertical(-turns), _rotation(since))[:, 3:7]
        vectors = _vectors(tilts)
        return np.concatenate((poses[:, :3], turns[:, None], vectors[:, :2]), axis=1)

    def states(self, numbers: Floats, rates: Floats) -> Floats:
        """(n, 13) poses and twists in the frame of the poses, of numbers (n, 6) and their rates of change (n, 6)."""
        turned = _about_vertical(numbers[:, 3])
        vectors = np.pad(numbers[:, 4:6], ((0, 0), (0, 1)))
        orientations = composed(composed(turned, _tilted(vectors)), self._first)[:, 3:7]
        angular = rotated(turned, _angular(vectors, np.pad(rates[:, 4:6], ((0, 0), (0, 1)))))
        angular[:, 2] += rates[:, 3]
        return np.concatenate((numbers[:, :3], orientations, rates[:, :3], angular), axis=1)


class PosePath:
    """Where the base is at any time: at rest before the first and after the last sample.

    Args:
        times_ns: (n,) increasing.
        numbers: (n, 6) of `unrolled`.
        unrolled: converts them back.
    """

    def __init__(self, times_ns: Int64s, numbers: Floats, unrolled: PoseNumbers) -> None:
        series = Series(NUMBERS, times_ns, numbers, np.full(numbers.shape, np.nan))
        self._interpolator = Interpolator(series, list(NUMBERS))
        self._unrolled = unrolled

    @classmethod
    def through(cls, times_ns: Int64s, poses: Floats) -> PosePath:
        """Return the path through poses (n, 7) at times (n,)."""
        unrolled = PoseNumbers(poses[0])
        return cls(times_ns, unrolled.numbers(poses), unrolled)

    def at(self, times_ns: Int64s) -> Floats:
        """Return (n, 13) poses and twists at times (n,) [ns], which must not decrease."""
        rows = self._interpolator.at(times_ns)
        return self._unrolled.states(rows.positions, rows.velocities)


def _rotation(quaternions: Floats) -> Floats:
    """(n, 7) poses at the origin."""
    return np.pad(quaternions, ((0, 0), (3, 0)))


def _about_vertical(angles: Floats) -> Floats:
    poses = np.zeros((len(angles), 7))
    poses[:, 3], poses[:, 6] = np.cos(0.5 * angles), np.sin(0.5 * angles)
    return poses


def _vectors(quaternions: Floats) -> Floats:
    """(n, 3) rotation vectors of quaternions (n, 4)."""
    signed = quaternions * np.where(quaternions[:, :1] < 0.0, -1.0, 1.0)
    sines = np.linalg.norm(signed[:, 1:], axis=1)
    angles = 2.0 * np.arctan2(sines, signed[:, 0])
    scale = np.where(sines > _TINY, angles / np.maximum(sines, _TINY), 2.0)
    return np.asarray(signed[:, 1:] * scale[:, None])


def _tilted(vectors: Floats) -> Floats:
    """(n, 7) poses at the origin that are turned by rotation vectors (n, 3)."""
    angles = np.linalg.norm(vectors, axis=1)[:, None]
    scale = np.where(angles > _TINY, np.sin(0.5 * angles) / np.maximum(angles, _TINY), 0.5)
    return np.concatenate((np.zeros_like(vectors), np.cos(0.5 * angles), scale * vectors), axis=1)


def _angular(vectors: Floats, rates: Floats) -> Floats:
    """(n, 3) angular velocities [rad/s] of changing rotation vectors, along the axes in which they are given."""
    angles = np.linalg.norm(vectors, axis=1)[:, None]
    safe = np.maximum(angles, 1e-4)
    once = crossed(vectors, rates)
    twice = crossed(vectors, once)
    first = np.where(angles > 1e-4, (1.0 - np.cos(safe)) / safe**2, 0.5)
    second = np.where(angles > 1e-4, (safe - np.sin(safe)) / safe**3, 1.0 / 6.0)
    return np.asarray(rates + first * once + second * twice)


def turn_about_vertical(quaternion: Sequence[float]) -> float:
    """Return the angle [rad] of the part of a rotation that is about the vertical, between -pi and pi."""
    angle = 2.0 * math.atan2(quaternion[3], quaternion[0])
    return math.remainder(angle, 2.0 * math.pi)


def about_vertical(angle: float) -> Quaternion:
    """Return the rotation by an angle [rad] about the vertical."""
    return (math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle))


def put_at(pose: Pose, x: float, y: float, yaw: float) -> Pose:
    """Return a pose moved to a place and a heading in the plane; its height and its tilt remain."""
    tilt = multiply(about_vertical(-turn_about_vertical(pose[3:7])), pose[3:7])
    return (x, y, pose[2], *multiply(about_vertical(yaw), tilt))


def turn_between(first: Sequence[float], second: Sequence[float]) -> float:
    """Return by which angle about the vertical [rad] the first rotation is turned to become the second one."""
    return turn_about_vertical(multiply(second, conjugate(first)))


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
        """Return the corrections up to and including each time (n,), after the one before; empty if nothing was."""
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


_BACKWARDS = (1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0)


class BasePlayback(Ahead[BaseMotion]):
    """The motion of a base in the world.

    Args:
        path: of the root link in odometry's frame.
        placement: of odometry's frame in the world.
        period_ns: the usual period between calls of `at`.
    """

    def __init__(self, path: PosePath, placement: Placement, period_ns: int) -> None:
        super().__init__(self._played, period_ns)
        self._path, self._placement = path, placement

    def _played(self, start_ns: int, rows: int, before_ns: int) -> list[BaseMotion]:
        since_ns = min(before_ns, start_ns - self._period)
        return motions(self._path, self._placement, start_ns, self._period, rows, since_ns)


def motions(
    path: PosePath, placement: Placement, time_ns: int, period_ns: int, rows: int, since_ns: int
) -> list[BaseMotion]:
    """Return the base at a time and at the periods after it, as read-only arrays.

    Args:
        since_ns: corrections after this time are reported with the first of them.
    """
    times = time_ns + period_ns * np.arange(rows, dtype=np.int64)
    odometry = path.at(times)
    places = placement.at(times)
    states = np.concatenate(
        (
            composed(places, odometry[:, :7]),
            rotated(places, odometry[:, 7:10]),
            rotated(places, odometry[:, 10:13]),
        ),
        axis=1,
    )
    own = odometry[:, :7] * _BACKWARDS
    odometry[:, 7:10] = rotated(own, odometry[:, 7:10])
    odometry[:, 10:13] = rotated(own, odometry[:, 10:13])
    states.flags.writeable = odometry.flags.writeable = False
    return list(map(BaseMotion, states, odometry, placement.words(since_ns, times)))
