"""The topics that the simulated robot publishes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import rclpy
from rclpy.node import Node

from hetwin_commanding.obeying.base_topics import BaseMessages, ScanMessages
from hetwin_commanding.obeying.robot import ObeyingRobot, SensorReadings
from hetwin_suite.episode import JOINT_STATES, Encoded
from hetwin_suite.wire import CdrTemplate, PublishedTopics, joint_state

SECOND = 1_000_000_000
JOINT_RATE = 100.0
"""Rate of joint states [Hz]."""
ODOMETRY_RATE = 50.0
"""Rate of odometry and frames [Hz]."""
LOCALIZATION_RATE = 2.0
"""Rate of localization [Hz]."""


class RobotTopics:
    """Publishers in the robot's namespace.

    Args:
        namespace: namespace of the topics.
        robot: the robot.
    """

    def __init__(self, namespace: str, robot: ObeyingRobot) -> None:
        self._owns_ros = not rclpy.ok()
        if self._owns_ros:
            rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
        prefix = f"/{namespace.strip('/')}" if namespace.strip("/") else ""
        self._node = Node("obeying_robot", namespace=prefix)
        self._robot = robot
        make = partial(joint_state, list(robot.joints), ("position", "velocity", "effort"))
        self._joints = CdrTemplate(JOINT_STATES.type, make)
        only = len(robot.lidars) == 1
        self._scans = [ScanMessages(lidar.pattern, lidar.link, only) for lidar in robot.lidars]
        self._topics = PublishedTopics(self._node)
        self._topics.offer(JOINT_STATES)
        self._base = None
        if robot.base is not None:
            self._base = BaseMessages(robot.root, *robot.base_topics)
            self._topics.offer(*self._base.topics)
        self._topics.offer(*(scan.topic for scan in self._scans))
        self._every = {
            rate: max(1, round(SECOND / rate / robot.period_ns))
            for rate in (JOINT_RATE, ODOMETRY_RATE, LOCALIZATION_RATE)
        }

    @property
    def names(self) -> list[str]:
        """Full names of the topics."""
        return self._topics.names

    def publish(self, step: int) -> None:
        """Publish the messages that are due at a step."""
        self._topics.publish(self._due(step))

    def _due(self, step: int) -> Iterator[Encoded]:
        robot, stamp_ns = self._robot, self._robot.stamp_ns
        if step % self._every[JOINT_RATE] == 0:
            yield self._joint_state(robot.sensed())
        if self._base is not None and robot.base is not None:
            localization = robot.localization
            if step % self._every[LOCALIZATION_RATE] == 0:
                localization.look(robot.base.truth, robot.base.odometry)
                yield self._base.place(stamp_ns, localization)
            if step % self._every[ODOMETRY_RATE] == 0:
                yield from self._base.odometry(stamp_ns, robot.base.odometry, localization)
        for scans, lidar in zip(self._scans, robot.lidars, strict=True):
            if step % lidar.every == 0:
                yield scans.scan(stamp_ns, robot.scan(lidar))

    def _joint_state(self, sensed: SensorReadings) -> Encoded:
        numbers = np.concatenate([sensed.positions, sensed.velocities, sensed.efforts])
        data = self._joints.fill(sensed.stamp_ns, numbers)
        return Encoded(JOINT_STATES, sensed.stamp_ns, data)

    def close(self) -> None:
        """Destroy the publishers."""
        self._node.destroy_node()
        if self._owns_ros:
            rclpy.try_shutdown()
