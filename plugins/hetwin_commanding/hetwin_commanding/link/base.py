"""Where a robot's base is, by its odometry and its localization, and the velocities that keep it on its way."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import NamedTuple

from hetwin_suite.robot import BaseState, PlanarPose, nearest_turn

_STANDS = 5e-3
"""A base whose odometry changes by less stands [m and rad]."""


class BaseFix(NamedTuple):
    """Where the base is in the world, and when that arrived, by the monotonic clock [s]."""

    pose: PlanarPose
    arrived: float


class BaseHeard:
    """Odometry from where the robot was put, corrected by localization; one thread adds, others read.

    Args:
        begin: where odometry began, in the world, as long as there is no localization.
    """

    def __init__(self, begin: PlanarPose) -> None:
        self._lock = threading.Lock()
        self._origin = begin
        self._odometry: PlanarPose | None = None
        self._arrived = 0.0
        self._stands_at = begin
        self._origins: list[PlanarPose] = []

    def add_odometry(self, pose: PlanarPose, arrived: float) -> None:
        """Add a pose in the frame of odometry, by when it arrived on the monotonic clock [s]."""
        with self._lock:
            self._odometry, self._arrived = pose, arrived

    def add_localization(self, pose: PlanarPose) -> None:
        """Add a pose in the world; odometry goes on from there, or from the mean of those since the base stands."""
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
        """How many localizations the place is the mean of."""
        with self._lock:
            return len(self._origins)

    def fix(self) -> BaseFix | None:
        """Return where the base is; None if it was never heard."""
        with self._lock:
            if self._odometry is None:
                return None
            return BaseFix(self._origin.composed(self._odometry), self._arrived)


def _apart(pose: PlanarPose, other: PlanarPose) -> float:
    there = seen_from(pose, other)
    return max(math.hypot(there.x, there.y), abs(there.yaw))


def _mean(poses: Sequence[PlanarPose]) -> PlanarPose:
    first, count = poses[0], len(poses)
    turns = [nearest_turn(pose.yaw - first.yaw) for pose in poses]
    return PlanarPose(
        sum(pose.x for pose in poses) / count,
        sum(pose.y for pose in poses) / count,
        first.yaw + sum(turns) / count,
    )


def seen_from(pose: PlanarPose, other: PlanarPose) -> PlanarPose:
    """Return another pose in the frame of a pose; its heading is the nearest turn."""
    there = pose.inverse.composed(other)
    return there._replace(yaw=nearest_turn(there.yaw))


_ALONG, _ACROSS, _HEADING = 1.5, 3.0, 2.0
"""Velocity per error: forward [1/s], turn per way to the side [rad/s/m, while it drives], turn [1/s]."""
_REACHED_M, _REACHED_RAD = 0.03, 0.03
_AWAY_M, _AWAY_RAD = 0.2, 0.35
"""A base that is further off its way deviates."""
_MORE = 1.2
"""Share of the planned velocities that control may use."""


class Twist(NamedTuple):
    """A velocity: forward [m/s] and about z [rad/s]."""

    forward: float = 0.0
    turn: float = 0.0


def control(wanted: BaseState, pace: float, here: PlanarPose, limits: tuple[float, float]) -> Twist:
    """Return the velocity that follows the way.

    Args:
        wanted: where the base is to be now, and how fast there.
        pace: share of that velocity.
        here: where it is.
        limits: largest velocities, forward [m/s] and about z [rad/s].
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
    """Whether a base is too far from its way."""
    apart = seen_from(here, wanted)
    return math.hypot(apart.x, apart.y) > _AWAY_M or abs(apart.yaw) > _AWAY_RAD


def _within(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)
