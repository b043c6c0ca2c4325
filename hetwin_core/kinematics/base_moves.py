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
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory


class PlanarPose(NamedTuple):
    """A place in the plane [m] and a heading [rad]."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    def after(self, way: float, turn: float, sideways: float = 0.0) -> PlanarPose:
        """Return where a motion of constant twist ends.

        Args:
            way: along the own x axis, which turns meanwhile [m].
            turn: about z [rad].
            sideways: along the own y axis [m].
        """
        half = turn / 2.0
        chord = math.sin(half) / half if abs(half) > 1e-9 else 1.0
        along, across = chord * way, chord * sideways
        c, s = math.cos(self.yaw + half), math.sin(self.yaw + half)
        return PlanarPose(
            self.x + along * c - across * s, self.y + along * s + across * c, self.yaw + turn
        )

    def offset(self, x: float, y: float) -> PlanarPose:
        """Return the place x y of this pose's frame, with the same heading."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return PlanarPose(self.x + x * c - y * s, self.y + x * s + y * c, self.yaw)

    def composed(self, other: PlanarPose) -> PlanarPose:
        """Return a pose in this pose's frame as one in the frame that this one is in."""
        return self.offset(other.x, other.y)._replace(yaw=self.yaw + other.yaw)

    @property
    def inverse(self) -> PlanarPose:
        """The frame that this pose is in, in this pose's frame."""
        return PlanarPose(0.0, 0.0, -self.yaw).offset(-self.x, -self.y)

    @classmethod
    def of(cls, pose: Sequence[float]) -> PlanarPose:
        """Return place and heading of a pose x y z [m], qw qx qy qz."""
        x, y, _, qw, qx, qy, qz = pose[:7]
        return cls(x, y, math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz)))

    @property
    def in_space(self) -> NDArray[np.float64]:
        """(7,) x y z [m], qw qx qy qz at the height 0."""
        half = self.yaw / 2.0
        return np.array([self.x, self.y, 0.0, math.cos(half), 0.0, 0.0, math.sin(half)])


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


def nearest_turn(angle: float) -> float:
    """Return the angle between -pi and pi that turns as far [rad]."""
    return math.remainder(angle, 2.0 * math.pi)
