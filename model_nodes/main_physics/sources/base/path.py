"""Smooth motion through the recorded poses of a robot's base, placed in the world and played back.

Six numbers describe a pose: the position, the yaw since the first pose (unwrapped, so it grows beyond a full
revolution), and the two horizontal components of the rotation vector of the tilt. They are interpolated in the same way
as joint positions (see `playback`), and the twist is that of the interpolated motion, regardless of the messages.
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
from model_nodes.main_physics.sources.playback import BlockCache, Interpolator
from model_nodes.main_physics.sources.transforms import composed, crossed, rotated
from model_nodes.main_physics.world.description import Pose
from model_nodes.main_physics.world.transforms import compose, invert

NUMBERS = ("x", "y", "z", "turn", "tilt_x", "tilt_y")
_TINY = 1e-9


class PoseNumbers:
    """Converts poses, in chronological order, to the numbers that are interpolated, and back.

    Args:
        first: (7,) reference pose for yaw and tilt.
    """

    def __init__(self, first: Floats) -> None:
        self._first = _rotation(first[None, 3:7])
        self._first_inverse = _rotation(first[None, 3:7] * (1.0, -1.0, -1.0, -1.0))
        self._yaw = 0.0

    def numbers(self, poses: Floats) -> Floats:
        """(n, 6) the numbers of poses (n, 7), continuing those of the previous calls."""
        relative = composed(_rotation(poses[:, 3:7]), self._first_inverse)[:, 3:7]
        angles = 2.0 * np.arctan2(relative[:, 3], relative[:, 0])
        angles = np.unwrap(np.append(self._yaw, angles))[1:]
        self._yaw = float(angles[-1])
        tilts = composed(_about_vertical(-angles), _rotation(relative))[:, 3:7]
        vectors = _vectors(tilts)
        return np.concatenate((poses[:, :3], angles[:, None], vectors[:, :2]), axis=1)

    def states(self, numbers: Floats, rates: Floats) -> Floats:
        """(n, 13) poses and twists in the frame of the poses, from numbers (n, 6) and their rates of change (n, 6)."""
        rotations = _about_vertical(numbers[:, 3])
        vectors = np.pad(numbers[:, 4:6], ((0, 0), (0, 1)))
        orientations = composed(composed(rotations, _tilt_poses(vectors)), self._first)[:, 3:7]
        angular = rotated(rotations, _angular(vectors, np.pad(rates[:, 4:6], ((0, 0), (0, 1)))))
        angular[:, 2] += rates[:, 3]
        return np.concatenate((numbers[:, :3], orientations, rates[:, :3], angular), axis=1)


class PosePath:
    """The pose of the base at any time; it rests before the first and after the last sample.

    Args:
        times_ns: (n,) increasing.
        numbers: (n, 6) poses as numbers, see `PoseNumbers`.
        converter: the converter that computed the numbers, to convert them back.
    """

    def __init__(self, times_ns: Int64s, numbers: Floats, converter: PoseNumbers) -> None:
        series = Series(NUMBERS, times_ns, numbers, np.full(numbers.shape, np.nan))
        self._interpolator = Interpolator(series, list(NUMBERS))
        self._converter = converter

    @classmethod
    def through(cls, times_ns: Int64s, poses: Floats) -> PosePath:
        """Return the path through poses (n, 7) at times (n,)."""
        converter = PoseNumbers(poses[0])
        return cls(times_ns, converter.numbers(poses), converter)

    def at(self, times_ns: Int64s) -> Floats:
        """Return (n, 13) poses and twists at times (n,) [ns], which must not decrease."""
        rows = self._interpolator.at(times_ns)
        return self._converter.states(rows.positions, rows.velocities)


def _rotation(quaternions: Floats) -> Floats:
    """(n, 7) poses at the origin with these orientations."""
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


def _tilt_poses(vectors: Floats) -> Floats:
    """(n, 7) poses at the origin, rotated by rotation vectors (n, 3)."""
    angles = np.linalg.norm(vectors, axis=1)[:, None]
    scale = np.where(angles > _TINY, np.sin(0.5 * angles) / np.maximum(angles, _TINY), 0.5)
    return np.concatenate((np.zeros_like(vectors), np.cos(0.5 * angles), scale * vectors), axis=1)


def _angular(vectors: Floats, rates: Floats) -> Floats:
    """(n, 3) angular velocities [rad/s] for rotation vectors and their rates, in the frame of the rotation vectors."""
    angles = np.linalg.norm(vectors, axis=1)[:, None]
    safe = np.maximum(angles, 1e-4)
    once = crossed(vectors, rates)
    twice = crossed(vectors, once)
    first = np.where(angles > 1e-4, (1.0 - np.cos(safe)) / safe**2, 0.5)
    second = np.where(angles > 1e-4, (safe - np.sin(safe)) / safe**3, 1.0 / 6.0)
    return np.asarray(rates + first * once + second * twice)


def turn_about_vertical(quaternion: Sequence[float]) -> float:
    """Return the angle [rad] of a rotation's component about the vertical, between -pi and pi."""
    angle = 2.0 * math.atan2(quaternion[3], quaternion[0])
    return math.remainder(angle, 2.0 * math.pi)


def about_vertical(angle: float) -> Quaternion:
    """Return the rotation by an angle [rad] about the vertical."""
    return (math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle))


def set_planar(pose: Pose, x: float, y: float, yaw: float) -> Pose:
    """Return a pose moved to a position and heading in the plane; its height and tilt are kept."""
    tilt = multiply(about_vertical(-turn_about_vertical(pose[3:7])), pose[3:7])
    return (x, y, pose[2], *multiply(about_vertical(yaw), tilt))


def turn_between(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the angle about the vertical [rad] from the first rotation to the second one."""
    return turn_about_vertical(multiply(second, conjugate(first)))


MIN_SHIFT = 1e-4
MIN_TURN = 1e-4
"""Smaller corrections [m, rad] are postponed until they add up to this."""


class Placement:
    """The pose of the odometry frame in the world over time, a step function with one step for each correction.

    Args:
        first: pose before the first correction.
        origin: source of the corrections, for their descriptions.
    """

    def __init__(self, first: Pose, origin: str = "") -> None:
        self._origin = origin
        self._times: list[int] = []
        self._poses: list[Pose] = [first]
        self._descriptions: list[str] = []

    def correct(self, time_ns: int, pose: Pose, odometry: Sequence[float]) -> None:
        """Set the pose of the odometry frame from a time on.

        Args:
            time_ns: time of the correction, not before the last one.
            pose: pose of the odometry frame in the world.
            odometry: (7,) pose of the base in the odometry frame when the correction was measured.
        """
        before, after = compose(self._poses[-1], odometry[:7]), compose(pose, odometry[:7])
        shift = math.dist(before[:3], after[:3])
        angle = _angle(before, after)
        if shift < MIN_SHIFT and angle < MIN_TURN:
            return
        self._times.append(time_ns)
        self._poses.append(pose)
        self._descriptions.append(
            f"{self._origin} puts it {length(shift)} and {math.degrees(angle):.2f} degrees"
            " away from where odometry has it"
        )

    def move_base(self, time_ns: int, target: Pose, odometry: Sequence[float]) -> None:
        """Move the odometry frame in the plane, so that the base gets a position and heading.

        Args:
            time_ns: time of the correction, not before the last one.
            target: pose of the base in the world; its height and tilt are ignored.
            odometry: (7,) pose of the base in the odometry frame when the target was measured.
        """
        self.correct(time_ns, moved_in_plane(self._poses[-1], target, odometry), odometry)

    def at(self, times_ns: Int64s) -> Floats:
        """(n, 7) poses of the odometry frame in the world at times (n,)."""
        indices = np.searchsorted(np.array(self._times, np.int64), times_ns, side="right")
        return np.asarray(np.array(self._poses)[indices])

    def descriptions(self, since_ns: int, times_ns: Int64s) -> list[str]:
        """Return (n) texts: for each time, the corrections since the previous time, or "" if there were none."""
        until = np.append(since_ns, times_ns)
        ends = np.searchsorted(np.array(self._times, np.int64), until, side="right").tolist()
        return ["; ".join(self._descriptions[a:b]) for a, b in pairwise(ends)]

    def advance(self, after_ns: int, by_ns: int) -> None:
        """Make the corrections after `after_ns` earlier by `by_ns`, but at the earliest at `after_ns`."""
        self._times = [t if t <= after_ns else max(t - by_ns, after_ns) for t in self._times]


def moved_in_plane(pose: Pose, target: Pose, odometry: Sequence[float]) -> Pose:
    """Return the pose of the odometry frame, moved in the plane so that the base gets a position and heading.

    Args:
        pose: pose of the odometry frame in the world.
        target: pose of the base in the world; its height and tilt are ignored.
        odometry: (7,) pose of the base in the odometry frame.
    """
    base = compose(pose, odometry[:7])
    rotation = about_vertical(turn_between(base[3:7], target[3:7]))
    x, y, _ = rotate(rotation, base[:3])
    return compose((target[0] - x, target[1] - y, 0.0, *rotation), pose)


def odom_frame(start: Pose, odometry: Sequence[float]) -> Pose:
    """Return the pose of the odometry frame for which the base is at `start` when its odometry is `odometry`."""
    return compose(start, invert(odometry[:7]))


def _angle(first: Pose, second: Pose) -> float:
    cosine = abs(sum(a * b for a, b in zip(first[3:7], second[3:7], strict=True)))
    return 2.0 * math.acos(min(cosine, 1.0))


_CONJUGATE = (1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0)


class BasePlayback(BlockCache[BaseMotion]):
    """The motion of a base in the world.

    Args:
        path: path of the root link in the odometry frame.
        placement: poses of the odometry frame in the world.
        period_ns: usual period between calls of `at` [ns].
    """

    def __init__(self, path: PosePath, placement: Placement, period_ns: int) -> None:
        super().__init__(self._evaluate_block, period_ns)
        self._path, self._placement = path, placement

    def _evaluate_block(self, start_ns: int, rows: int, before_ns: int) -> list[BaseMotion]:
        since_ns = min(before_ns, start_ns - self._period)
        return motions(self._path, self._placement, start_ns, self._period, rows, since_ns)


def motions(
    path: PosePath, placement: Placement, time_ns: int, period_ns: int, rows: int, since_ns: int
) -> list[BaseMotion]:
    """Return the motion of the base at a time and at the periods after it, as read-only arrays.

    Args:
        path: path of the root link in the odometry frame.
        placement: poses of the odometry frame in the world.
        time_ns, period_ns, rows: first time, period [ns], and number of results.
        since_ns: corrections after this time are reported in the first result.
    """
    times = time_ns + period_ns * np.arange(rows, dtype=np.int64)
    odometry = path.at(times)
    placements = placement.at(times)
    states = np.concatenate(
        (
            composed(placements, odometry[:, :7]),
            rotated(placements, odometry[:, 7:10]),
            rotated(placements, odometry[:, 10:13]),
        ),
        axis=1,
    )
    inverse = odometry[:, :7] * _CONJUGATE
    odometry[:, 7:10] = rotated(inverse, odometry[:, 7:10])
    odometry[:, 10:13] = rotated(inverse, odometry[:, 10:13])
    states.flags.writeable = odometry.flags.writeable = False
    return list(map(BaseMotion, states, odometry, placement.descriptions(since_ns, times)))
