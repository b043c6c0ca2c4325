"""A client that drives a robot as navigation does, by its topics alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile, qos_profile_sensor_data, qos_profile_system_default
from sensor_msgs.msg import LaserScan
from tf2_msgs.msg import TFMessage

from hetwin_core.ensemble.scene.poses import compose
from hetwin_core.ensemble.scene.values import Floats
from support.watcher import Watcher

SPEED, TURN = 0.45, 1.5
"""The fastest that it drives [m/s] and turns [rad/s]."""
NEAR = 0.15
"""So near it comes to each point of its way [m]."""
AHEAD = math.radians(25)
"""It looks for obstacles so far to both sides [rad]."""


class Place(NamedTuple):
    """x, y [m] and yaw [rad]."""

    x: float
    y: float
    yaw: float


class Navigator:
    """Publishes ``cmd_vel``; reads ``odom``, ``scan`` and ``tf`` with the QoS that Nav2 subscribes with.

    Args:
        watcher: its node.
        namespace: of the robot's topics, with a slash at its end, or empty.
    """

    def __init__(self, watcher: Watcher, namespace: str = "") -> None:
        node = watcher.node
        self._watcher = watcher
        self._frames: dict[str, tuple[str, Floats]] = {}
        self.odometry: list[Odometry] = []
        self.scans: list[LaserScan] = []
        self.velocity = node.create_publisher(Twist, f"{namespace}cmd_vel", 1)
        node.create_subscription(
            Odometry, f"{namespace}odom", self.odometry.append, qos_profile_system_default
        )
        node.create_subscription(
            LaserScan, f"{namespace}scan", self.scans.append, qos_profile_sensor_data
        )
        node.create_subscription(TFMessage, f"{namespace}tf", self._keep, QoSProfile(depth=100))

    @property
    def sees(self) -> bool:
        """Whether the robot has said where it is and what is around it."""
        return bool(self.odometry and self.scans and "base_link" in self._frames)

    def place(self, frame: str = "base_link", inside: str = "world") -> Place:
        """Where a frame is, up the tree of frames."""
        pose = np.array([0.0, 0.0, 0.0, 1.0, *[0.0] * 9])
        while frame != inside:
            frame, transform = self._frames[frame]
            pose = compose(transform, pose)
        return Place(float(pose[0]), float(pose[1]), 2 * math.atan2(pose[6], pose[3]))

    def drive(self, way: Sequence[tuple[float, float]], timeout_s: float) -> None:
        """Drive along points in the world, and stop.

        Raises:
            AssertionError: if it does not get there in time.
        """
        for x, y in way:
            self._watcher.wait(
                lambda x=x, y=y: self._approach(x, y),
                lambda x=x, y=y: f"{x} {y}; it is at {self.place()}, {self.free():.2f} m ahead",
                timeout_s,
            )
        self.velocity.publish(Twist())

    def free(self) -> float:
        """How far nothing is ahead, by the last scan [m]."""
        scan = self.scans[-1]
        angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        ranges = np.array(scan.ranges)
        return float(ranges[np.abs(angles) < AHEAD].min())

    def _approach(self, x: float, y: float) -> bool:
        """Go on towards a point; returns whether it is reached."""
        here = self.place()
        away = math.hypot(x - here.x, y - here.y)
        turn = math.remainder(math.atan2(y - here.y, x - here.x) - here.yaw, math.tau)
        twist = Twist()
        twist.angular.z = float(np.clip(3.0 * turn, -TURN, TURN))
        if abs(turn) < 0.5 and self.free() > 0.3:
            twist.linear.x = SPEED * math.cos(turn) * min(1.0, max(away, 0.2) / 0.4)
        self.velocity.publish(twist)
        return away < NEAR

    def _keep(self, message: Any) -> None:
        for one in message.transforms:
            place, turn = one.transform.translation, one.transform.rotation
            pose = [place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z, *[0.0] * 6]
            self._frames[one.child_frame_id] = one.header.frame_id, np.array(pose)
