"""What the stand-in publishes, as a robot does."""

from __future__ import annotations

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

from hetwin_core.ensemble.topics import JOINT_STATES
from hetwin_suite.proving_ground.obeying.base_topics import BaseTopics, ScanTopic
from hetwin_suite.proving_ground.obeying.robot import ObeyingRobot, Sensed

SECOND = 1_000_000_000
JOINT_RATE = 100.0
"""Joint states a second."""
ODOMETRY_RATE = 50.0
"""Odometries a second, and frames."""
LOCALIZATION_RATE = 2.0
"""Corrections a second by localization."""


class RobotTopics:
    """Publishers in the robot's namespace.

    Args:
        namespace: of the topics.
        robot: that publishes.
    """

    def __init__(self, namespace: str, robot: ObeyingRobot) -> None:
        self._owns_ros = not rclpy.ok()
        if self._owns_ros:
            rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
        prefix = f"/{namespace.strip('/')}" if namespace.strip("/") else ""
        self._node = Node("obeying_robot", namespace=prefix)
        self._robot = robot
        self._joints = list(robot.joints)
        self._joint_states = self._node.create_publisher(
            JointState, JOINT_STATES.name, QoSProfile(depth=100)
        )
        self._base = None
        if robot.base is not None:
            self._base = BaseTopics(self._node, robot.root, *robot.base_topics)
        only = len(robot.lidars) == 1
        self._scans = [
            ScanTopic(self._node, lidar.pattern, lidar.link, only) for lidar in robot.lidars
        ]
        self._every = {
            rate: max(1, round(SECOND / rate / robot.period_ns))
            for rate in (JOINT_RATE, ODOMETRY_RATE, LOCALIZATION_RATE)
        }

    @property
    def names(self) -> list[str]:
        """Full names of the topics."""
        of_base = [] if self._base is None else self._base.names
        return [self._joint_states.topic_name, *of_base, *(scan.name for scan in self._scans)]

    def publish(self, step: int) -> None:
        """Publish what is due at a step."""
        robot = self._robot
        if step % self._every[JOINT_RATE] == 0:
            self._publish_joints(robot.sensed())
        if self._base is not None and robot.base is not None:
            localization = robot.localization
            if step % self._every[LOCALIZATION_RATE] == 0:
                localization.look(robot.base.truth, robot.base.odometry)
                self._base.publish_place(robot.stamp_ns, localization)
            if step % self._every[ODOMETRY_RATE] == 0:
                self._base.publish_odometry(robot.stamp_ns, robot.base.odometry, localization)
        for topic, lidar in zip(self._scans, robot.lidars, strict=True):
            if step % lidar.every == 0:
                topic.publish(robot.stamp_ns, robot.scan(lidar))

    def _publish_joints(self, sensed: Sensed) -> None:
        message = JointState(
            name=self._joints,
            position=sensed.positions.tolist(),
            velocity=sensed.velocities.tolist(),
            effort=sensed.efforts.tolist(),
        )
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(sensed.stamp_ns, SECOND)
        self._joint_states.publish(message)

    def close(self) -> None:
        """Destroy the publishers."""
        self._node.destroy_node()
        if self._owns_ros:
            rclpy.try_shutdown()
