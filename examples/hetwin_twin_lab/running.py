"""The stand-in on ROS 2: receives commands on one topic and answers on another, in real time, until stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rclpy.node import Node
from sensor_msgs.msg import JointState

from hetwin_suite.episode import JOINT_STATES
from hetwin_suite.model import Event
from hetwin_suite.runs import Scenario
from hetwin_twin_lab.connection import Connection
from hetwin_twin_lab.event_names import COMMAND, REPLY
from hetwin_twin_lab.hidden import HiddenParameters
from hetwin_twin_lab.robot import LabRobot
from hetwin_twin_lab.topic_pair import TopicPair

_DEPTH = 100
_POLL_PERIOD_S = 0.002
_MAX_LAG_NS = 500_000_000
"""Lag behind real time beyond which it is dropped [ns]."""


class JointTopic:
    """Publishes joint positions of a robot, stamped with the current time.

    Args:
        node: node of the publisher.
        robot: the robot.
    """

    def __init__(self, node: Node, robot: LabRobot) -> None:
        self._node, self._robot = node, robot
        self._publisher = node.create_publisher(JointState, JOINT_STATES.name, _DEPTH)
        self._published_ns = -1

    @property
    def name(self) -> str:
        """Full name of the topic."""
        return str(self._publisher.topic_name)

    def publish(self) -> None:
        """Publish if the robot has advanced since the last call."""
        if self._robot.time_ns == self._published_ns:
            return
        self._published_ns = self._robot.time_ns
        joints = self._robot.joint_positions
        message = JointState(name=list(joints), position=list(joints.values()))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)


class RunningLabRobot:
    """A stand-in and its topics.

    Args:
        robot: the robot.
        connection: connection to the robot.
        topic_pair: topics of commands and answers.
    """

    notes = ()

    def __init__(self, robot: LabRobot, connection: Connection, topic_pair: TopicPair) -> None:
        self._robot, self._connection, self._topic_pair = robot, connection, topic_pair
        self._joints = JointTopic(topic_pair.node, robot)

    @property
    def topics(self) -> tuple[str, str]:
        """Full names of the published topics: answers and joints."""
        return self._topic_pair.topics[0], self._joints.name

    def run(self, say: Callable[[str], None], over: Callable[[], bool] = lambda: False) -> None:
        """Simulate and answer in real time.

        Args:
            say: prints a line about a malformed command.
            over: returns whether to stop; called often.
        """
        start_ns = time.monotonic_ns() - self._robot.time_ns
        while not over():
            now_ns = time.monotonic_ns() - start_ns
            if now_ns - self._robot.time_ns > _MAX_LAG_NS:
                start_ns += now_ns - self._robot.time_ns - _MAX_LAG_NS
                now_ns = time.monotonic_ns() - start_ns
            for event in self._connection.advance(now_ns, self._commands()):
                self._topic_pair.send(event.arguments)
            self._joints.publish()
            while self._topic_pair.malformed:
                say(f"not understood: {self._topic_pair.malformed.popleft()}")
            time.sleep(_POLL_PERIOD_S)

    def _commands(self) -> list[Event]:
        received, now_ns = self._topic_pair.take_received(), self._robot.time_ns
        return [
            Event("command", now_ns, source="link", arguments=arguments) for arguments in received
        ]


@contextmanager
def lab_robot(
    scenario: Scenario, controller: str, namespace: str, seed: int | None
) -> Iterator[RunningLabRobot]:
    """Open the real robot of a lab; it is closed at the end of the context.

    Args:
        scenario: scenario of the lab.
        controller: name of the reactive layer.
        namespace: namespace of its topics.
        seed: seed of the hidden parameters; None: as in the data sheet, without lost answers.

    Raises:
        BadInput: if the scenario has no such robot.
    """
    hidden = HiddenParameters() if seed is None else HiddenParameters.draw(seed)
    robot = LabRobot(scenario, controller, hidden)
    try:
        topic_pair = TopicPair(namespace, "lab_robot", REPLY, COMMAND)
        try:
            connection = Connection(robot, hidden, seed or 0, "command", "reply")
            yield RunningLabRobot(robot, connection, topic_pair)
        finally:
            topic_pair.close()
    finally:
        robot.close()
