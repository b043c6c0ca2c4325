"""Messages and service responses of a live robot at the start of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hetwin_suite.model import BadInput
from hetwin_suite.wire import message_class
from hetwin_unannounced.found.frames import Frames

TRANSFORMS = ("/tf", "/tf_static")
TF = "tf2_msgs/msg/TFMessage"
_PERIOD_S = 0.05
_SETTLE_S = 1.0
"""Time in s for transforms to arrive after the message that needs them."""


class Listener:
    """Waits for messages of a robot.

    Args:
        namespace: namespace of the robot.
        frames: receives the robot's transforms.
        wait: timeout [s].
    """

    def __init__(self, namespace: str, frames: Frames, wait: float) -> None:
        self._namespace, self._frames, self._wait = namespace, frames, wait

    def first(self, topic: str | None, message_type: str, is_usable: Callable[[Any], bool]) -> Any:
        """Return the first usable message, either latched (transient local) or published during the wait.

        Args:
            topic: name of the topic; None: the first topic of this type.
            message_type: type of the message.
            is_usable: returns whether a message can be used.

        Raises:
            BadInput: if no usable message arrives in time, or its type cannot be imported.
        """
        message_class_ = _class_of(message_type)
        messages: list[Any] = []
        is_subscribed = False
        with self._node() as (node, spin):
            for _ in self._until_timeout():
                name = topic or _topic_of(node.get_topic_names_and_types(), message_type)
                if name is not None and not is_subscribed:
                    is_subscribed = True
                    for qos in _qos_profiles(10):
                        node.create_subscription(message_class_, name, messages.append, qos)
                spin(_PERIOD_S)
                usable_messages = [message for message in messages if is_usable(message)]
                if usable_messages:
                    self._spin_for_transforms(spin)
                    return usable_messages[0]
        raise BadInput(
            f"no {message_type} within {self._wait:g} s",
            where="topic",
            found=topic,
            expected="a topic of this type that is being published, or latched (transient local)",
        )

    def call(self, service_type: Any, name: str, request: Any) -> Any:
        """Return the response of a service; None if it does not arrive in time."""
        with self._node() as (node, spin):
            client = node.create_client(service_type, name)
            future = None
            for _ in self._until_timeout():
                if future is None and client.service_is_ready():
                    future = client.call_async(request)
                spin(_PERIOD_S)
                if future is not None and future.done():
                    self._spin_for_transforms(spin)
                    return future.result()
        return None

    def _until_timeout(self) -> Iterator[None]:
        deadline = time.monotonic() + self._wait
        while time.monotonic() < deadline:
            yield

    def _spin_for_transforms(self, spin: Callable[[float], None]) -> None:
        deadline = time.monotonic() + min(_SETTLE_S, self._wait)
        while time.monotonic() < deadline:
            spin(_PERIOD_S)

    @contextmanager
    def _node(self) -> Iterator[tuple[Any, Callable[[float], None]]]:
        """Yield a node that receives transforms, and a function that spins it for at most some seconds."""
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.node import Node

        context = Context()
        context.init()
        try:
            namespace = self._namespace.strip("/") or None
            node = Node("hetwin_scene", namespace=namespace, context=context)
            executor = SingleThreadedExecutor(context=context)
            executor.add_node(node)
            for name in TRANSFORMS:
                for qos in _qos_profiles(100):
                    node.create_subscription(_class_of(TF), name, self._frames.add_transforms, qos)
            yield node, executor.spin_once
            executor.shutdown()
            node.destroy_node()
        finally:
            context.try_shutdown()


def _qos_profiles(depth: int) -> Iterator[Any]:
    """Yield the QoS profiles of two subscriptions: one for latched messages, one for volatile publishers."""
    from rclpy.qos import DurabilityPolicy, QoSProfile

    for durability in (DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE):
        yield QoSProfile(depth=depth, durability=durability)


def _class_of(message_type: str) -> Any:
    messages = message_class(message_type)
    if messages is None:
        raise BadInput(
            f"{message_type} cannot be imported",
            where="topic",
            expected=f"{message_type.partition('/')[0]}, from a sourced ROS 2 workspace",
        )
    return messages


def _topic_of(topics: list[tuple[str, list[str]]], message_type: str) -> str | None:
    return next((name for name, types in sorted(topics) if message_type in types), None)
