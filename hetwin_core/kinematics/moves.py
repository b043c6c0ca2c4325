"""Moves of joints from rest to rest, all at the same time, within limits of velocity, acceleration and jerk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ruckig import InputParameter, Result, Ruckig, Synchronization, Trajectory

from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory

Floats = NDArray[np.float64]

_PERIOD = 0.02
"""Between the points of a move [s]."""
_SMALLEST = 1e-9
"""A way that is no move [rad or m]."""


@dataclass(frozen=True, slots=True)
class MoveLimits:
    """Limits of n joints, each (n,), above 0: [rad/s or m/s], and per second, and per second again."""

    velocity: Floats
    acceleration: Floats
    jerk: Floats


def move(names: Sequence[str], start: Floats, goal: Floats, limits: MoveLimits) -> JointTrajectory:
    """Return the fastest move on the straight line between two positions of the joints.

    Args:
        names: of the n joints.
        start, goal: (n,) [rad or m].
        limits: of the joints.
    """
    moving = np.abs(goal - start) > _SMALLEST
    if not moving.any():
        return JointTrajectory(tuple(names), np.zeros(1), goal[None, :].copy())
    fastest = _fastest(start[moving], goal[moving], limits, moving)
    count = max(2, int(np.ceil(fastest.duration / _PERIOD)) + 1)
    times = np.linspace(0.0, fastest.duration, count)
    states = np.array([fastest.at_time(float(time)) for time in times])  # (count, 3, moving)
    points = np.zeros((3, count, len(names)))
    points[0] = goal
    points[:, :, moving] = states.transpose(1, 0, 2)
    points[0, -1] = goal
    points[1:, -1] = 0.0
    return JointTrajectory(tuple(names), times, *points)


def _fastest(
    start: Floats, goal: Floats, limits: MoveLimits, moving: NDArray[np.bool_]
) -> Trajectory:
    count = len(start)
    wanted, trajectory = InputParameter(count), Trajectory(count)
    wanted.current_position, wanted.target_position = start.tolist(), goal.tolist()
    wanted.max_velocity = limits.velocity[moving].tolist()
    wanted.max_acceleration = limits.acceleration[moving].tolist()
    wanted.max_jerk = limits.jerk[moving].tolist()
    wanted.synchronization = Synchronization.Phase
    result = Ruckig(count).calculate(wanted, trajectory)
    if result != Result.Working:
        raise ValueError(f"no move from {start.tolist()} to {goal.tolist()}: {result}")
    return trajectory
