"""The joints of the stand-in on a topic, as a real robot tells what its wheels do."""

from __future__ import annotations

from rclpy.node import Node
from sensor_msgs.msg import JointState

from hetwin_suite.episode import JOINT_STATES
from hetwin_suite.proving_ground.lab.robot import LabRobot

_DEPTH = 100


class JointTopic:
    """Publishes where the joints of a robot are, stamped with the present time.

    Args:
        node: whose topic it is.
        robot: that moves.
    """

    def __init__(self, node: Node, robot: LabRobot) -> None:
        self._node, self._robot = node, robot
        self._publisher = node.create_publisher(JointState, JOINT_STATES.name, _DEPTH)
        self._published_ns = -1

    def publish(self) -> None:
        """Publish, if the robot has gone on since the last time."""
        if self._robot.time_ns == self._published_ns:
            return
        self._published_ns = self._robot.time_ns
        joints = self._robot.joint_positions
        message = JointState(name=list(joints), position=list(joints.values()))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)
