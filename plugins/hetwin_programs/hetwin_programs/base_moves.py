"""Moves of a nonholonomic base: it turns to its goal, drives there, and turns to the goal's heading."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.robot import JointTrajectory, MoveLimits, PlanarPose, move, nearest_turn

_MIN_DISTANCE = 1e-3
"""Minimum distance that is driven [m]."""
_ACCELERATION_RATIO = 2.0
"""Maximum acceleration divided by maximum speed [1/s]; the maximum jerk is 10/s times the maximum acceleration."""


class BaseState(NamedTuple):
    """Pose of a base, and its velocities: forward [m/s] and about z [rad/s]."""

    pose: PlanarPose
    forward: float = 0.0
    turn: float = 0.0


@dataclass(frozen=True, slots=True)
class BaseMove:
    """A rotation, a straight path, and a rotation, from rest to rest.

    Attributes:
        start: pose at the start.
        goal: pose at the end.
        parts: consecutive trajectories of (heading [rad], path length [m]).
    """

    start: PlanarPose
    goal: PlanarPose
    parts: tuple[JointTrajectory, ...]

    @property
    def duration(self) -> float:
        """Duration [s]."""
        return sum(part.duration for part in self.parts)

    def at(self, time: float) -> BaseState:
        """Return the state of the base at a time [s]."""
        for part in self.parts:
            if time < part.duration:
                state = part.at(time)
                heading, distance = state.positions.tolist()
                turn, forward = state.velocities.tolist()
                direction = self.parts[1].positions[0, 0]
                x = self.start.x + distance * math.cos(direction)
                y = self.start.y + distance * math.sin(direction)
                return BaseState(PlanarPose(x, y, heading), forward, turn)
            time -= part.duration
        return BaseState(self.goal)


def base_move(start: PlanarPose, goal: PlanarPose, forward: float, turn: float) -> BaseMove:
    """Return the move between two poses.

    Args:
        start, goal: poses at the start and at the end.
        forward: maximum speed [m/s].
        turn: maximum speed about z [rad/s].
    """
    dx, dy = goal.x - start.x, goal.y - start.y
    distance = math.hypot(dx, dy)
    if distance < _MIN_DISTANCE:
        distance, bearing = 0.0, start.yaw
    else:
        bearing = start.yaw + nearest_turn(math.atan2(dy, dx) - start.yaw)
    end_heading = bearing + nearest_turn(goal.yaw - bearing)
    corners = [(start.yaw, 0.0), (bearing, 0.0), (bearing, distance), (end_heading, distance)]
    return BaseMove(start, goal, _parts(corners, np.array([turn, forward])))


def straight_move(start: PlanarPose, distance: float, forward: float) -> BaseMove:
    """Return a straight move by a distance [m], backwards if it is negative.

    Args:
        start: pose at the start.
        distance: distance along the base's x axis [m].
        forward: maximum speed [m/s].
    """
    corners = [(start.yaw, 0.0), (start.yaw, 0.0), (start.yaw, distance), (start.yaw, distance)]
    return BaseMove(start, start.after(distance, 0.0), _parts(corners, np.array([1.0, forward])))


def _parts(
    corners: Sequence[tuple[float, float]], max_velocities: NDArray[np.float64]
) -> tuple[JointTrajectory, ...]:
    """Return the motions between (heading, path length) corners, within maximum velocities (2,)."""
    acceleration = _ACCELERATION_RATIO * max_velocities
    limits = MoveLimits(max_velocities, acceleration, 10.0 * acceleration)
    names = ("heading", "distance")
    return tuple(move(names, np.array(a), np.array(b), limits) for a, b in pairwise(corners))
