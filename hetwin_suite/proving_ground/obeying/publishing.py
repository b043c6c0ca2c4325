"""What the stand-in publishes, as a robot does."""

from __future__ import annotations

from collections.abc import Sequence

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

from hetwin_core.ensemble.topics import JOINT_STATES
from hetwin_suite.proving_ground.obeying.robot import Sensed

SECOND = 1_000_000_000


class RobotTopics:
    """Publishers in the robot's namespace.

    Args:
        namespace: of the topics.
        joints: names of the joints.
    """

    def __init__(self, namespace: str, joints: Sequence[str]) -> None:
        self._owns_ros = not rclpy.ok()
        if self._owns_ros:
            rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
        prefix = f"/{namespace.strip('/')}" if namespace.strip("/") else ""
        self._node = Node("obeying_robot", namespace=prefix)
        self._joints = list(joints)
        self._joint_states = self._node.create_publisher(
            JointState, JOINT_STATES.name, QoSProfile(depth=100)
        )

    @property
    def names(self) -> list[str]:
        """Full names of the topics."""
        return [self._joint_states.topic_name]

    def publish(self, sensed: Sensed) -> None:
        """Publish what the sensors say."""
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
