"""A run that no action client asked for: at the start of the process, or by a service."""

from __future__ import annotations

from typing import Any

from hetwin.action import Simulate


class OwnGoal:
    """Stands for the action's goal; feedback goes to the node's log.

    Args:
        node: the conductor's, whose parameters say what to run.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self.request = Simulate.Goal(
            source=str(node.get_parameter("source").value),
            scene=str(node.get_parameter("scene").value),
            duration=float(node.get_parameter("duration").value),
        )

    def publish_feedback(self, feedback: Simulate.Feedback) -> None:
        """Log what happened."""
        if feedback.message:
            seconds = feedback.time.sec + feedback.time.nanosec / 1e9
            self._node.get_logger().info(f"{seconds:.3f} s: {feedback.message}")
