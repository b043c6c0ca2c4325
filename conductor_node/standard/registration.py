"""Offers the standard's services where their package is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any


def offer_standard_services(node: Any) -> Any:
    """Offer them; None, and a line in the node's log, where ``simulation_interfaces`` is not installed."""
    if find_spec("simulation_interfaces") is None:
        node.get_logger().info(
            "simulation_interfaces is not installed: the standard's services are not offered"
        )
        return None
    from conductor_node.standard.services import StandardServices

    return StandardServices(node)
