"""A node of a test that looks at a run from outside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile

from support.ros_runs import wait_until

LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)


class Watcher:
    """Subscribes, calls and looks at the graph."""

    def __init__(self, node: Node, executor: SingleThreadedExecutor) -> None:
        self.node = node
        self._executor = executor

    def wait(self, holds: Any, timeout_s: float = 90.0) -> None:
        """Spin until something holds."""

        def look() -> bool:
            self._executor.spin_once(0.02)
            return bool(holds())

        wait_until(look, timeout_s)

    def listen(self, kind: Any, topic: str, *, latched: bool = False) -> list[Any]:
        """A list that fills with what is published."""
        heard: list[Any] = []
        qos = LATCHED if latched else QoSProfile(depth=100)
        self.node.create_subscription(kind, topic, heard.append, qos)
        return heard

    def call(self, kind: Any, name: str, request: Any, timeout_s: float = 90.0) -> Any:
        """Call a service."""
        client = self.node.create_client(kind, name)
        self.wait(client.service_is_ready, timeout_s)
        future = client.call_async(request)
        self.wait(future.done, timeout_s)
        return future.result()

    def node_names(self) -> set[str]:
        """Nodes in the graph, with namespace."""
        pairs = self.node.get_node_names_and_namespaces()
        return {f"{space.rstrip('/')}/{name}" for name, space in pairs}


@contextmanager
def watching(domain: int) -> Iterator[Watcher]:
    """A watcher in that domain."""
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    node = Node("watcher", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        yield Watcher(node, executor)
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)
