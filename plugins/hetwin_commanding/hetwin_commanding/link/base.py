"""The pose of a robot's base from odometry and localization, and the controller that keeps it on its path."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import NamedTuple

from hetwin_programs.base_moves import BaseState
from hetwin_suite.robot import PlanarPose, nearest_turn

_STANDS = 5e-3
"""Change of odometry below which a base is at rest [m and rad]."""


class BaseFix(NamedTuple):
    """The pose of the base in the world, and its arrival on the monotonic clock [s]."""

    pose: PlanarPose
    arrived: float


class BaseHeard:
    """Odometry of a base, corrected by localization; one thread adds, others read.

    Args:
        begin: origin of odometry in the world, used until the first localization.
    """

    def __init__(self, begin: PlanarPose) -> None:
        self._lock = threading.Lock()
        self._origin = begin
        self._odometry: PlanarPose | None = None
        self._arrived = 0.0
        self._stands_at = begin
        self._origins: list[PlanarPose] = []

    def add_odometry(self, pose: PlanarPose, arrived: float) -> None:
        """Add a pose in the frame of odometry, with its arrival on the monotonic clock [s]."""
        with self._lock:
            self._odometry, self._arrived = pose, arrived

    def add_localization(self, pose: PlanarPose) -> None:
        """Add a pose in the world as the reference of odometry; while the base is at rest, poses are averaged."""
        with self._lock:
            if self._odometry is None:
                return
            if _apart(self._odometry, self._stands_at) > _STANDS:
                self._origins.clear()
                self._stands_at = self._odometry
            self._origins.append(pose.composed(self._odometry.inverse))
            self._origin = _mean(self._origins)

    @property
    def localized(self) -> int:
        """Number of localizations in the average."""
        with self._lock:
            return len(self._origins)

    def fix(self) -> BaseFix | None:
        """Return the pose of the base; None before the first odometry."""
        with self._lock:
            if self._odometry is None:
                return None
            return BaseFix(self._origin.composed(self._odometry), self._arrived)


def _apart(pose: PlanarPose, other: PlanarPose) -> float:
    other_pose = seen_from(pose, other)
    return max(math.hypot(other_pose.x, other_pose.y), abs(other_pose.yaw))


def _mean(poses: Sequence[PlanarPose]) -> PlanarPose:
    first, count = poses[0], len(poses)
    turns = [nearest_turn(pose.yaw - first.yaw) for pose in poses]
    return PlanarPose(
        sum(pose.x for pose in poses) / count,
        sum(pose.y for pose in poses) / count,
        first.yaw + sum(turns) / count,
    )


def seen_from(pose: PlanarPose, other: PlanarPose) -> PlanarPose:
    """Return another pose in the frame of a pose, with its heading wrapped to [-pi, pi]."""
    other_pose = pose.inverse.composed(other)
    return other_pose._replace(yaw=nearest_turn(other_pose.yaw))


_ALONG, _ACROSS, _HEADING = 1.5, 3.0, 2.0
"""Gains: forward velocity [1/s], rotation per lateral error while driving [rad/s/m], rotation [1/s]."""
_REACHED_M, _REACHED_RAD = 0.03, 0.03
_AWAY_M, _AWAY_RAD = 0.2, 0.35
"""Deviations from the path beyond which the base deviates."""
_MORE = 1.2
"""Factor of the planned velocities up to which the controller may command."""


class Twist(NamedTuple):
    """A velocity: forward [m/s] and about z [rad/s]."""

    forward: float = 0.0
    turn: float = 0.0


def control(wanted: BaseState, pace: float, here: PlanarPose, limits: tuple[float, float]) -> Twist:
    """Return the velocity that follows the path.

    Args:
        wanted: planned state of the base at this time.
        pace: factor of the planned velocity.
        here: present pose.
        limits: velocity limits, forward [m/s] and about z [rad/s].
    """
    ahead = seen_from(here, wanted.pose)
    forward = wanted.forward * pace + _ALONG * ahead.x
    turn = wanted.turn * pace + _HEADING * ahead.yaw
    if abs(forward) > 0.01:
        turn += math.copysign(_ACROSS, forward) * ahead.y * min(1.0, abs(wanted.forward) * 10.0)
    return Twist(_within(forward, _MORE * limits[0]), _within(turn, _MORE * limits[1]))


def is_there(wanted: PlanarPose, here: PlanarPose) -> bool:
    """Whether a base has reached its goal."""
    apart = seen_from(here, wanted)
    return math.hypot(apart.x, apart.y) <= _REACHED_M and abs(apart.yaw) <= _REACHED_RAD


def deviates(wanted: PlanarPose, here: PlanarPose) -> bool:
    """Whether a base is too far from its path."""
    apart = seen_from(here, wanted)
    return math.hypot(apart.x, apart.y) > _AWAY_M or abs(apart.yaw) > _AWAY_RAD


def _within(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)
