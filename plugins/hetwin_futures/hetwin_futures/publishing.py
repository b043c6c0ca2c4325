"""Publishes predictions on a ROS 2 topic."""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any, Self

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import String

from hetwin_suite.episode import PREDICTIONS

NODE = "foreteller"


class Answers:
    """A ROS node that publishes predictions.

    Args:
        namespace: namespace of its topic; empty or ``/`` for none.
    """

    def __init__(self, namespace: str) -> None:
        rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
        self._node = Node(NODE, namespace=f"/{namespace.strip('/')}" if namespace else "")
        self._publisher = self._node.create_publisher(
            String, PREDICTIONS.name, QoSProfile(depth=100)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._node.destroy_node()
        rclpy.try_shutdown()

    def publish(self, answer: dict[str, Any]) -> None:
        """Publish an answer, given as JSON."""
        self._publisher.publish(String(data=json.dumps(answer)))

    def warn(self, text: str) -> None:
        """Log a warning, such as why there is no answer."""
        self._node.get_logger().warning(text)
