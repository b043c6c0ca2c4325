"""A robot of tests, and a source that follows it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Int32

from hetwin.msg import ActionAnnotation
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.live.part import LivePart
from support.waiting import wait_until

SECOND = 1_000_000_000
PERIOD = 2_500_000
TEN_MS = 10_000_000


class Robot:
    """Publishes what a test says, with the stamps that it says."""

    def __init__(self) -> None:
        self.node = Node("robot")
        qos = QoSProfile(depth=1000)
        self._joints = self.node.create_publisher(JointState, "joint_states", qos)
        self._annotations = self.node.create_publisher(ActionAnnotation, "action_annotations", qos)
        self.mode = self.node.create_publisher(Int32, "mode", qos)
        self.time_ns = self.start_ns = time.time_ns() // SECOND * SECOND

    @property
    def position(self) -> float:
        """Where its joint is at full speed: it grows by 1 rad in 1 s."""
        return (self.time_ns - self.start_ns) / 1e9

    def tell(self, seconds: float, speed: float = 1.0) -> None:
        """Joint states of so many seconds, at 100 Hz, far faster than that."""
        for number in range(round(seconds * 100)):
            if number % 10 == 9:
                time.sleep(0.005)  # they go out best effort: a burst would lose some
            self.time_ns += TEN_MS
            message = JointState(name=["a"], position=[speed * self.position])
            self._stamp(message)
            self._joints.publish(message)

    def say(self, operation: str, phase: str = "instant") -> None:
        message = ActionAnnotation(operation=operation, phase=phase, arguments='{"hand": "right"}')
        self._stamp(message)
        self._annotations.publish(message)

    def listeners(self, topic: str) -> list[Any]:
        """Who listens to a topic, once there is someone."""
        wait_until(lambda: self.node.count_subscribers(topic), f"a subscription of {topic}")
        return list(self.node.get_subscriptions_info_by_topic(topic))

    def is_heard(self) -> bool:
        """Whether annotations reach someone; joint states are published until they do."""
        return bool(self._annotations.get_subscription_count())

    def _stamp(self, message: Any) -> None:
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(self.time_ns, SECOND)


@contextmanager
def followed(robot: Robot, **spec: Any) -> Iterator[LivePart]:
    """A source that has begun to follow a robot that stands ready."""
    opened: list[LivePart] = []

    def stand() -> None:
        while not opened:
            robot.tell(0.02)
            time.sleep(0.02)

    standing = threading.Thread(target=stand)
    standing.start()
    try:
        (source,) = open_source({"live": "", "wait": 30.0, **spec}).parts
        assert isinstance(source, LivePart)
        opened.append(source)
    finally:
        opened.append(None)  # type: ignore[arg-type]
        standing.join()
    try:
        assert source.bind(["a", "b"], PERIOD).tolist() == [True, False]
        assert source.start()
        if "annotations" not in spec:  # which name other topics
            wait_until(robot.is_heard, "a subscription of annotations")
        yield source
    finally:
        source.close()
