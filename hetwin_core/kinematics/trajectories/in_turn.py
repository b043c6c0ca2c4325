"""Motions one after the other as one motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory

Floats = NDArray[np.float64]

_LINEAR_S = 0.01
"""Between the points of a motion that was given without velocities [s]."""


def in_turn(motions: Sequence[JointTrajectory]) -> JointTrajectory:
    """Return one motion of all their joints; each begins where the joints are after those before it.

    Joints that a motion does not move rest meanwhile, where those before it have left them.

    Args:
        motions: at least one; each ends at rest.
    """
    names = tuple(dict.fromkeys(name for motion in motions for name in motion.names))
    now = np.zeros(len(names))
    for motion in reversed(motions):
        now[_places(names, motion)] = motion.positions[0]
    times, rows = [0.0], [np.stack((now, np.zeros_like(now), np.zeros_like(now)))]
    for motion in motions:
        at, begun = _places(names, motion), times[-1]
        for time, state in zip(*_sampled(motion), strict=True):
            row = np.stack((now, np.zeros_like(now), np.zeros_like(now)))
            row[:, at] = state
            times.append(begun + time)
            rows.append(row)
        now = rows[-1][0]
    points = np.stack(rows, axis=1)
    return JointTrajectory(names, np.array(times), points[0], points[1], points[2])


def _places(names: Sequence[str], motion: JointTrajectory) -> list[int]:
    return [names.index(name) for name in motion.names]


def _sampled(motion: JointTrajectory) -> tuple[list[float], list[Floats]]:
    """Times after 0 [s], and positions, velocities and accelerations there, each (3, n)."""
    times = motion.times
    if motion.velocities is None and motion.duration > 0.0:
        count = int(np.ceil(motion.duration / _LINEAR_S)) + 1
        times = np.union1d(times, np.linspace(0.0, motion.duration, count))
    states = np.array(motion.sample(times))
    states[1:, -1] = 0.0  # it ends at rest
    if motion.accelerations is None and len(times) > 1:
        states[2] = np.gradient(states[1], times, axis=0)
        states[2, [0, -1]] = 0.0
    later = times > 0.0
    return times[later].tolist(), list(states.transpose(1, 0, 2)[later])
