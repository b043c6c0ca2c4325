"""A node of a test that looks at a run from outside."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import rclpy
from lifecycle_msgs.srv import GetState
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile

from support.waiting import PATIENCE_S, wait_for_all, wait_until

Process: TypeAlias = subprocess.Popen[str] | subprocess.Popen[bytes]
ASK_AGAIN_S = 1.0
LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)


class Watcher:
    """Subscribes, calls and looks at the graph.

    Args:
        node: its own.
        executor: spins it.
        process: of the run that is watched; when it ends, nothing is waited for any more.
    """

    def __init__(
        self, node: Node, executor: SingleThreadedExecutor, process: Process | None = None
    ) -> None:
        self.node = node
        self._executor = executor
        self._process = process

    def wait(
        self,
        holds: Callable[[], object],
        what: str | Callable[[], object],
        timeout_s: float = PATIENCE_S,
    ) -> None:
        """Spin until something holds; `what` names it, or says what is there instead.

        Raises:
            AssertionError: if it does not hold in time, or the run is over before.
        """

        def look() -> bool:
            self._executor.spin_once(0.02)
            return bool(holds())

        wait_until(look, what, timeout_s, process=self._process, period_s=0.0)

    def wait_for_nodes(self, *names: str) -> None:
        """Wait until all these nodes, with their namespaces, are in the graph: they are found one by one."""
        self.wait_for_all(names, self.node_names, "nodes")

    def wait_for_all(
        self, names: Iterable[str], found: Callable[[], Iterable[str]], what: str
    ) -> None:
        """Spin until all these names have been found."""

        def look() -> Iterable[str]:
            self._executor.spin_once(0.02)
            return found()

        wait_for_all(names, look, what)

    def listen(self, kind: Any, topic: str, *, latched: bool = False) -> list[Any]:
        """A list that fills with what is published."""
        heard: list[Any] = []
        qos = LATCHED if latched else QoSProfile(depth=100)
        self.node.create_subscription(kind, topic, heard.append, qos)
        return heard

    def call(self, kind: Any, name: str, request: Any) -> Any:
        """Call a service of the conductor, or of a model's node, once that node has found this client.

        A node drops its answers to clients that it has not found within 100 ms (rmw_fastrtps). It finds them in the
        order in which they were made, so it knows this one when a later one has had an answer.
        """
        client = self.node.create_client(kind, name)
        try:
            self.wait(client.service_is_ready, f"service {name}")
            space, is_conductors, _ = name.rpartition("hetwin/")
            self._be_found(f"{space}conductor" if is_conductors else name.rpartition("/")[0])
            future = client.call_async(request)
            self.wait(future.done, f"an answer of {name}")
            return future.result()
        finally:
            self.node.destroy_client(client)

    def goal_is_accepted(self, kind: Any, name: str, goal: Any) -> bool:
        """Send a goal to the conductor's action once its node has found this client."""
        client = ActionClient(self.node, kind, name)
        try:
            self.wait(client.server_is_ready, f"action {name}")
            self._be_found(f"{name.rpartition('hetwin/')[0]}conductor")
            sent = client.send_goal_async(goal)
            self.wait(sent.done, f"a response of {name}")
            return bool(sent.result().accepted)
        finally:
            client.destroy()

    def _be_found(self, managed: str) -> None:
        """Ask a managed node for its state, again and again, until it answers."""
        client = self.node.create_client(GetState, f"{managed}/get_state")

        def is_answered() -> bool:
            if not client.service_is_ready():
                return False
            future = client.call_async(GetState.Request())
            self._executor.spin_until_future_complete(future, ASK_AGAIN_S)
            return bool(future.done())

        self.wait(is_answered, f"an answer of {managed}/get_state")
        self.node.destroy_client(client)

    def node_names(self) -> set[str]:
        """Nodes in the graph, with namespace."""
        pairs = self.node.get_node_names_and_namespaces()
        return {f"{space.rstrip('/')}/{name}" for name, space in pairs}


@contextmanager
def watching(domain: int, process: Process | None = None) -> Iterator[Watcher]:
    """A watcher in that domain, of the run of that process."""
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    node = Node("watcher", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        yield Watcher(node, executor, process)
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)
