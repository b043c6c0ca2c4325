"""Moves of a base that cannot go sideways: it turns to its goal, drives there, and turns to its heading."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.moves import MoveLimits, move
from hetwin_core.kinematics.planar import PlanarPose, nearest_turn
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory

_NEAR = 1e-3
"""A place nearer than this is not driven to [m]."""
_RISE = 2.0
"""Acceleration per speed [1/s]; the jerk is ten times that."""


class BaseState(NamedTuple):
    """Where a base is, and its velocities: forward [m/s] and about z [rad/s]."""

    pose: PlanarPose
    forward: float = 0.0
    turn: float = 0.0


@dataclass(frozen=True, slots=True)
class BaseMove:
    """A turn, a straight way, and a turn, from rest to rest.

    Attributes:
        start: where it begins.
        goal: where it ends.
        parts: positions of (heading [rad], way [m]) over time, one part after the other.
    """

    start: PlanarPose
    goal: PlanarPose
    parts: tuple[JointTrajectory, ...]

    @property
    def duration(self) -> float:
        """Time that it takes [s]."""
        return sum(part.duration for part in self.parts)

    def at(self, time: float) -> BaseState:
        """Return where the base is at a time [s]."""
        for part in self.parts:
            if time < part.duration:
                state = part.at(time)
                heading, way = state.positions.tolist()
                turn, forward = state.velocities.tolist()
                along = self.parts[1].positions[0, 0]
                x = self.start.x + way * math.cos(along)
                y = self.start.y + way * math.sin(along)
                return BaseState(PlanarPose(x, y, heading), forward, turn)
            time -= part.duration
        return BaseState(self.goal)


def base_move(start: PlanarPose, goal: PlanarPose, forward: float, turn: float) -> BaseMove:
    """Return the move between two places.

    Args:
        start, goal: where it begins and ends.
        forward: largest velocity [m/s].
        turn: largest velocity about z [rad/s].
    """
    dx, dy = goal.x - start.x, goal.y - start.y
    way = math.hypot(dx, dy)
    if way < _NEAR:
        way, bearing = 0.0, start.yaw
    else:
        bearing = start.yaw + nearest_turn(math.atan2(dy, dx) - start.yaw)
    last = bearing + nearest_turn(goal.yaw - bearing)
    corners = [(start.yaw, 0.0), (bearing, 0.0), (bearing, way), (last, way)]
    return BaseMove(start, goal, _parts(corners, np.array([turn, forward])))


def straight_move(start: PlanarPose, way: float, forward: float) -> BaseMove:
    """Return the move straight on by a way [m], backwards if it is negative.

    Args:
        start: where it begins.
        way: along the own x axis [m].
        forward: largest velocity [m/s].
    """
    corners = [(start.yaw, 0.0), (start.yaw, 0.0), (start.yaw, way), (start.yaw, way)]
    return BaseMove(start, start.after(way, 0.0), _parts(corners, np.array([1.0, forward])))


def _parts(
    corners: Sequence[tuple[float, float]], limits: NDArray[np.float64]
) -> tuple[JointTrajectory, ...]:
    """The motions between headings and ways, within limits (2,) of their velocities."""
    rise = _RISE * limits
    moves = MoveLimits(limits, rise, 10.0 * rise)
    names = ("heading", "way")
    return tuple(move(names, np.array(a), np.array(b), moves) for a, b in pairwise(corners))
