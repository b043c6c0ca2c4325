"""A run without an action client, started by the node's parameters or by a service."""

from __future__ import annotations

from rclpy.lifecycle import LifecycleNode

from hetwin.action import Simulate
from hetwin_core.ensemble.words import seconds
from hetwin_core.wire.messages import read_time


class StartupGoal:
    """Replaces the goal of an action client; feedback goes to the node's log.

    Args:
        node: the conductor's node; its parameters configure the run.
    """

    def __init__(self, node: LifecycleNode) -> None:
        self._node = node
        self.request = Simulate.Goal(
            source=str(node.get_parameter("source").value),
            scene=str(node.get_parameter("scene").value),
            duration=float(node.get_parameter("duration").value),
        )

    def publish_feedback(self, feedback: Simulate.Feedback) -> None:
        """Log the feedback's message, if it has one."""
        if feedback.message:
            time = seconds(read_time(feedback.time), 3)
            self._node.get_logger().info(f"{time}: {feedback.message}")
