"""Synchronized moves of joints from rest to rest, within limits of velocity, acceleration and jerk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ruckig import InputParameter, Result, Ruckig, RuckigError, Trajectory

from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory

Floats = NDArray[np.float64]

_PERIOD = 0.02
"""Time between the points of a move [s]."""
_MIN_CHANGE = 1e-9
"""Minimum change of a joint that counts as a move [rad or m]."""
_MAX_ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class MoveLimits:
    """Limits of n joints, each (n,), above 0: [rad/s or m/s], [rad/s^2 or m/s^2], [rad/s^3 or m/s^3]."""

    velocity: Floats
    acceleration: Floats
    jerk: Floats


def move(names: Sequence[str], start: Floats, goal: Floats, limits: MoveLimits) -> JointTrajectory:
    """Return the fastest move on the straight line between two positions of the joints.

    Args:
        names: names of the n joints.
        start, goal: (n,) [rad or m].
        limits: limits of the joints.
    """
    delta = goal - start
    if not (np.abs(delta) > _MIN_CHANGE).any():
        return JointTrajectory(tuple(names), np.zeros(1), goal[None, :].copy())
    fastest = _fastest(np.abs(delta), limits)
    count = max(2, int(np.ceil(fastest.duration / _PERIOD)) + 1)
    times = np.linspace(0.0, fastest.duration, count)
    states = [[part[0] for part in fastest.at_time(float(time))[:3]] for time in times]
    points = np.array(states).T[:, :, None] * delta
    points[0] += start
    points[0, 0], points[0, -1] = start, goal
    points[1:, -1] = 0.0
    return JointTrajectory(tuple(names), times, points[0], points[1], points[2])


def _fastest(delta: Floats, limits: MoveLimits) -> Trajectory:
    """The fraction of a displacement (n,) over time, within the limits of all joints."""
    moving = delta > _MIN_CHANGE
    velocity, acceleration, jerk = (
        float((limit[moving] / delta[moving]).min())
        for limit in (limits.velocity, limits.acceleration, limits.jerk)
    )
    for attempt in range(_MAX_ATTEMPTS):
        # Ruckig fails at the boundary of two of its cases; a slightly smaller jerk avoids it.
        trajectory = _profile(velocity, acceleration, jerk * (1.0 - 1e-3 * attempt))
        if trajectory is not None:
            return trajectory
    limit = f"{velocity:g}/s, {acceleration:g}/s^2 and {jerk:g}/s^3"
    raise ValueError(f"no move within {limit} of the displacement")


def _profile(velocity: float, acceleration: float, jerk: float) -> Trajectory | None:
    wanted, trajectory = InputParameter(1), Trajectory(1)
    wanted.current_position, wanted.target_position = [0.0], [1.0]
    wanted.max_velocity = [velocity]
    wanted.max_acceleration, wanted.max_jerk = [acceleration], [jerk]
    try:
        result = Ruckig(1).calculate(wanted, trajectory)
    except RuckigError:
        return None
    return trajectory if result == Result.Working else None
