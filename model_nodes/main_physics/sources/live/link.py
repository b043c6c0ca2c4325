"""The ROS 2 side of a live robot: a separate node that spins in its own thread."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.executors import ExternalShutdownException
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.serialization import deserialize_message
from rclpy.task import Future
from rclpy.topic_endpoint_info import TopicEndpointInfo
from sensor_msgs.msg import JointState

from hetwin_core.wire.publishing import message_class
from model_nodes.main_physics.sources.live.report import STATUS

NODE = "robot_listener"
QUEUE_DEPTH = 1000
DISCOVERY_PERIOD_S = 0.5
DIAGNOSTICS_PERIOD_S = 1.0
JOIN_TIMEOUT_S = 2.0

OnMessage = Callable[[Any, int], None]
"""Called with a message and its time of arrival, in this machine's time [ns]."""
OnRaw = Callable[[bytes, str, int], None]
"""Called with a serialized message, the name of its type and its time of arrival, in this machine's time [ns]."""
TopicChoice = Callable[[str, str, Any], tuple[OnMessage, int | None] | None]
"""Called once for each topic in the namespace with its name, its type, and the type's class (None if not installed).

Returns the callback for its messages and the minimum interval between messages that are read [ns], or None for the
interval if the callback takes all of them serialized; None to ignore the topic.
"""
Report = Callable[[], tuple[bytes, str, Mapping[str, str]]]
"""Returns level, message and values of the diagnostic to publish."""


class RobotLink:
    """Subscribes to topics of a robot until it is closed.

    Joint states are received serialized and best-effort, as usual for sensor data. Topics whose type is discovered are
    received with the QoS of their publishers, all others reliably. Users may override the QoS by parameters
    (`qos_overrides.<topic>.subscription...`) and remap topics.

    Args:
        namespace: namespace of the robot's relative topics, ``/`` for none; empty: the namespace of this process.
        joint_states: topics of type sensor_msgs/msg/JointState.
        on_joints: called with each of their messages, serialized.
        others: further topics with the callbacks of their messages; their types are discovered in the graph.
        types: types of those further topics for which they are known beforehand.
        report: called once per second for a diagnostic.
        status: name of that diagnostic.
        name: name of the node.
        also: called with the node, to create further parts of it.
        choose: called with each topic that appears; decides whether it is read.

    Attributes:
        topics: full names of the topics of joint states.
        simulated: whether the robot uses simulated time (parameter `use_sim_time`).
    """

    def __init__(
        self,
        namespace: str,
        joint_states: Sequence[str],
        on_joints: OnMessage,
        others: Mapping[str, OnMessage],
        types: Mapping[str, Any],
        report: Report,
        status: str = STATUS,
        name: str = NODE,
        also: Callable[[Node], object] | None = None,
        choose: TopicChoice | None = None,
    ) -> None:
        self._owns_ros = not rclpy.ok()
        if self._owns_ros:
            rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
        self._status = status
        self._node = _node(namespace, name)
        self.simulated = bool(self._node.get_parameter("use_sim_time").value)
        self._report = report
        self._others = dict(others)
        self._undiscovered: dict[str, OnRaw] = {}
        self._choose, self._known = choose, set[str]()
        self._is_closed = False
        self._pause = Future[None]()
        sensor = QoSProfile(depth=QUEUE_DEPTH, reliability=QoSReliabilityPolicy.BEST_EFFORT)
        subscriptions = [
            self._subscribe(JointState, topic, on_joints, sensor, raw=True)
            for topic in joint_states
        ]
        self.topics = tuple(subscription.topic_name for subscription in subscriptions)
        for topic, kind in types.items():
            self._subscribe(kind, topic, self._others.pop(topic), QoSProfile(depth=QUEUE_DEPTH))
        self._diagnostics = self._node.create_publisher(
            DiagnosticArray,
            "diagnostics",
            QoSProfile(depth=10),
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )
        self._executor = EventsExecutor()
        self._executor.add_node(self._node)
        self._also = also(self._node) if also is not None else None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread and destroy the node."""
        self._is_closed = True
        with suppress(Exception):  # the process may be shutting down
            self._pause.set_result(None)
            self._executor.wake()
        self._thread.join(JOIN_TIMEOUT_S)
        with suppress(Exception):
            self._executor.remove_node(self._node)
            self._node.destroy_node()
        if self._owns_ros:
            rclpy.try_shutdown()

    def listen(self, topic: str, callback: OnRaw) -> None:
        """Subscribe to a topic when it appears, with the type and the QoS of its publishers.

        Messages remain serialized.
        """
        self._undiscovered[topic] = callback

    def seen(self) -> dict[str, list[str]]:
        """Return the types of all topics that are published or subscribed to, by full name."""
        return dict(self._node.get_topic_names_and_types())

    def _subscribe(
        self, kind: Any, topic: str, callback: OnMessage, qos: QoSProfile, raw: bool = False
    ) -> Any:
        def on_message(message: Any) -> None:
            callback(message, time.time_ns())

        return self._node.create_subscription(
            kind,
            topic,
            on_message,
            qos,
            raw=raw,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )

    def _run(self) -> None:
        next_discovery = next_report = 0.0
        while rclpy.ok():
            due = next_report if self._is_complete else min(next_report, next_discovery)
            self._pause = Future[None]()
            if self._is_closed:
                return
            try:
                self._executor.spin_until_future_complete(
                    self._pause, max(0.0, due - time.monotonic())
                )
            except (ExternalShutdownException, RuntimeError):
                return
            now = time.monotonic()
            if not self._is_complete and now >= next_discovery:
                next_discovery = now + DISCOVERY_PERIOD_S
                self._discover_topics()
            if now >= next_report:
                next_report = now + DIAGNOSTICS_PERIOD_S
                self._publish()

    @property
    def _is_complete(self) -> bool:
        """Whether no topic remains to be discovered."""
        return not (self._others or self._undiscovered or self._choose)

    def _discover_topics(self) -> None:
        """Subscribe to the topics whose type has been discovered."""
        for topic in [*self._others, *self._undiscovered]:
            full = self._node.resolve_topic_name(topic)
            publishers = self._node.get_publishers_info_by_topic(full)
            types = [publisher.topic_type for publisher in publishers]
            name = next((name for name in types if message_class(name) is not None), None)
            if name is None:
                continue
            kind, qos = message_class(name), _qos_like(publishers)
            if topic in self._others:
                self._subscribe(kind, topic, self._others.pop(topic), qos)
            else:
                callback = partial(_with_type, self._undiscovered.pop(topic), name)
                self._subscribe(kind, topic, callback, qos, raw=True)
        if self._choose is not None:
            self._choose_topics(dict(self._node.get_topic_names_and_types()), self._choose)

    def _choose_topics(self, known: Mapping[str, Sequence[str]], choose: TopicChoice) -> None:
        """Subscribe to each new topic in the namespace that `choose` wants to read."""
        prefix = f"{self._node.get_namespace().rstrip('/')}/"
        for topic in sorted(known.keys() - self._known):
            publishers = self._node.get_publishers_info_by_topic(topic)
            if not publishers or not topic.startswith(prefix):
                continue
            self._known.add(topic)
            kind = message_class(known[topic][0])
            reading = choose(topic, known[topic][0], kind)
            if reading is not None:
                callback = _throttled(kind, *reading)
                self._subscribe(kind, topic, callback, _qos_like(publishers), raw=True)

    def _publish(self) -> None:
        level, text, values = self._report()
        status = DiagnosticStatus(
            level=level,
            name=self._status,
            hardware_id=self._node.get_namespace(),
            message=text,
            values=[KeyValue(key=key, value=value) for key, value in values.items()],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(message)


def _with_type(callback: OnRaw, type_name: str, raw: bytes, arrived_ns: int) -> None:
    callback(bytes(raw), type_name, arrived_ns)


def _throttled(kind: Any, callback: OnMessage, every_ns: int | None) -> OnMessage:
    """Return a callback for serialized messages that decodes at most one message per `every_ns`; see `TopicChoice`."""
    if every_ns is None:
        return lambda raw, arrived_ns: callback(bytes(raw), arrived_ns)
    due_ns = 0

    def on_raw(raw: bytes, arrived_ns: int) -> None:
        nonlocal due_ns
        if arrived_ns >= due_ns:
            due_ns = arrived_ns + every_ns
            callback(deserialize_message(bytes(raw), kind), arrived_ns)

    return on_raw


def _qos_like(publishers: Sequence[TopicEndpointInfo]) -> QoSProfile:
    """Return the strongest QoS that is compatible with all publishers, so that latched messages are received."""
    profiles = [publisher.qos_profile for publisher in publishers]
    reliable = all(p.reliability == QoSReliabilityPolicy.RELIABLE for p in profiles)
    latched = all(p.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL for p in profiles)
    return QoSProfile(
        depth=QUEUE_DEPTH,
        reliability=QoSReliabilityPolicy.RELIABLE if reliable else QoSReliabilityPolicy.BEST_EFFORT,
        durability=QoSDurabilityPolicy.TRANSIENT_LOCAL if latched else QoSDurabilityPolicy.VOLATILE,
    )


def _node(namespace: str, name: str) -> Node:
    """Create the node; remappings of the process apply neither to its name nor to a given namespace.

    Several twins may listen in a robot's namespace, so the name contains the process id there.
    """
    if not namespace:
        return Node(name, cli_args=["--ros-args", "-r", f"__node:={name}"])
    unique_name = f"{name}_{os.getpid()}"
    remaps = ["-r", f"__node:={unique_name}", "-r", f"__ns:=/{namespace.strip('/')}"]
    return Node(unique_name, cli_args=["--ros-args", *remaps])
