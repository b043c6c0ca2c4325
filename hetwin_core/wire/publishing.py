"""Publishers of encoded messages."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.qos_overriding_options import QoSOverridingOptions

from hetwin_core.ensemble.topics import Encoded, Topic


def latched() -> QoSProfile:
    """QoS of topics whose last message late subscribers receive."""
    return QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)


class PublishedTopics:
    """Publishers of a node, by topic; the parameters `qos_overrides.<topic>.publisher...` may override their QoS.

    Args:
        node: the publishing node.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publishers: dict[str, Any] = {}

    @property
    def names(self) -> list[str]:
        """Full names of all topics."""
        return [publisher.topic_name for publisher in self._publishers.values()]

    def offer(self, *offered: Topic) -> None:
        """Create publishers of topics, except those whose message package is not installed."""
        for topic in offered:
            kind = message_class(topic.type)
            if kind is not None and topic.name not in self._publishers:
                self._publishers[topic.name] = self._node.create_publisher(
                    kind,
                    topic.name,
                    _qos(topic),
                    qos_overriding_options=QoSOverridingOptions.with_default_policies(),
                )

    def publish(self, messages: Iterable[Encoded]) -> None:
        """Publish messages; those of other topics are ignored."""
        for message in messages:
            publisher = self._publishers.get(message.topic.name)
            if publisher is not None:
                publisher.publish(bytes(message.data))

    def is_heard(self, topic: Topic) -> bool:
        """Whether an offered topic has subscribers."""
        return bool(self._publishers[topic.name].get_subscription_count())


def _qos(topic: Topic) -> QoSProfile:
    if topic.latched:
        return latched()
    return qos_profile_sensor_data if topic.sensor else QoSProfile(depth=topic.depth)


def message_class(type_name: str) -> Any:
    """Return the class of a message type such as ``std_msgs/msg/Int32``; None if it is not installed.

    Feedback of an action has a type such as ``control_msgs/action/GripperCommand_FeedbackMessage``, and its
    introspected services have types such as ``control_msgs/action/GripperCommand_GetResult_Event``.
    """
    package, kind, name = type_name.split("/")
    try:
        found = import_module(f"{package}.{kind}")
        action, _, part = name.partition("_") if kind == "action" else (name, "", "")
        if part.endswith("_Event"):
            service = getattr(found, action).Impl, f"{part.removesuffix('_Event')}Service"
            return getattr(*service).Event
        return getattr(getattr(found, action).Impl, part) if part else getattr(found, name)
    except (ImportError, AttributeError):
        return None
