"""Where a robot's base is, by its odometry and its localization."""

from __future__ import annotations

import threading
from typing import NamedTuple

from hetwin_core.kinematics.base_moves import nearest_turn
from hetwin_core.kinematics.planar import PlanarPose


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

    def add_odometry(self, pose: PlanarPose, arrived: float) -> None:
        """Add a pose in the frame of odometry, by when it arrived on the monotonic clock [s]."""
        with self._lock:
            self._odometry, self._arrived = pose, arrived

    def add_localization(self, pose: PlanarPose) -> None:
        """Add a pose in the world; odometry goes on from there."""
        with self._lock:
            if self._odometry is not None:
                self._origin = _composed(pose, _inverse(self._odometry))

    def fix(self) -> BaseFix | None:
        """Return where the base is; None if it was never heard."""
        with self._lock:
            if self._odometry is None:
                return None
            return BaseFix(_composed(self._origin, self._odometry), self._arrived)


def seen_from(pose: PlanarPose, other: PlanarPose) -> PlanarPose:
    """Return another pose in the frame of a pose; its heading is the nearest turn."""
    there = _composed(_inverse(pose), other)
    return there._replace(yaw=nearest_turn(there.yaw))


def _composed(pose: PlanarPose, other: PlanarPose) -> PlanarPose:
    return pose.offset(other.x, other.y)._replace(yaw=pose.yaw + other.yaw)


def _inverse(pose: PlanarPose) -> PlanarPose:
    return PlanarPose(0.0, 0.0, -pose.yaw).offset(-pose.x, -pose.y)
