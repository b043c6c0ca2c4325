"""Parameters of nodes with descriptions, which ``ros2 param describe`` shows."""

from __future__ import annotations

from collections.abc import Mapping

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node


def declare(node: Node, parameters: Mapping[str, tuple[str | int | float | bool, str]]) -> None:
    """Declare parameters.

    Args:
        node: whose.
        parameters: name -> default and description.
    """
    for name, (default, description) in parameters.items():
        node.declare_parameter(name, default, ParameterDescriptor(description=description))
