"""Offers the standard's services where their package is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from rclpy.node import Node


def offer_standard_services(node: Node) -> Any:
    """Offer the services.

    Returns:
        What serves them; None where ``simulation_interfaces`` is not installed, which the node's log reports.
    """
    if find_spec("simulation_interfaces") is None:
        node.get_logger().info(
            "simulation_interfaces is not installed: the standard's services are not offered"
        )
        return None
    from conductor_node.standard.services import StandardServices

    return StandardServices(node)
