"""Smooth motion through the recorded poses of a robot's base.

Six numbers say where it is: the position, the angle by which it has turned about the vertical since its first pose
(it goes on growing, turn after turn), and by which rotation vector it tilts. They are interpolated as the positions of
joints are (see `interpolation`), and the twist is that of the interpolated motion, whatever the messages say of it.
"""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.playback import Interpolator
from model_nodes.main_physics.sources.pose_arrays import composed, crossed, rotated

NUMBERS = ("x", "y", "z", "turn", "tilt_x", "tilt_y")
_TINY = 1e-9


class Unrolled:
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

    def __init__(self, times_ns: Int64s, numbers: Floats, unrolled: Unrolled) -> None:
        series = Series(NUMBERS, times_ns, numbers, np.full(numbers.shape, np.nan))
        self._interpolator = Interpolator(series, list(NUMBERS))
        self._unrolled = unrolled

    @classmethod
    def through(cls, times_ns: Int64s, poses: Floats) -> PosePath:
        """Return the path through poses (n, 7) at times (n,)."""
        unrolled = Unrolled(poses[0])
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
