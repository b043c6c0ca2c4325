"""Measured efforts beside those that the robot's model expects, and where they part."""

from model_nodes.robot_health.efforts.unexpected_effort import UnexpectedEffort

__all__ = ["UnexpectedEffort"]
