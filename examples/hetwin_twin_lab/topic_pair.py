"""Two topics to and from a robot, with JSON objects as messages; received ones are queued until requested."""

from __future__ import annotations

import json
import math
import threading
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from rclpy import init
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String

from hetwin.srv import NotifyEvent
from hetwin_suite.model import Json
from hetwin_twin_lab.event_names import is_int64

_DEPTH = 100
_MAX_MALFORMED = 10_000
"""Maximum number of malformed messages stored between two steps."""
_JOIN_S = 2.0


class TopicPair:
    """Two topics of type std_msgs/String, one to send on and one to listen to.

    Args:
        namespace: namespace of the topics.
        node: name of the node.
        publish_topic: topic to send on.
        subscribe_topic: topic to listen to.
        services: name of a service of type hetwin/NotifyEvent -> callback that takes the event's arguments and returns
            the reason for a refusal, or an empty string; called in another thread.

    Attributes:
        node: the node, for further topics.
        malformed: descriptions of malformed messages; the reader empties it.
    """

    def __init__(
        self,
        namespace: str,
        node: str,
        publish_topic: str,
        subscribe_topic: str,
        services: Mapping[str, Callable[[Mapping[str, Json]], str]] | None = None,
    ) -> None:
        self._context = Context()
        init(args=[], context=self._context)
        prefix = f"/{namespace.strip('/')}" if namespace.strip("/") else ""
        self.node = Node(node, context=self._context, namespace=prefix)
        self._publisher = self.node.create_publisher(String, publish_topic, _DEPTH)
        self.node.create_subscription(String, subscribe_topic, self._on_message, _DEPTH)
        for name, callback in (services or {}).items():
            self.node.create_service(NotifyEvent, name, partial(_serve, callback))
        self._lock = threading.Lock()
        self._received: deque[dict[str, Json]] = deque()
        self.malformed: deque[str] = deque(maxlen=_MAX_MALFORMED)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    @property
    def topics(self) -> tuple[str, str]:
        """Full names of the topics, the sending one first."""
        names = [self._publisher.topic_name]
        names += [each.topic_name for each in self.node.subscriptions]
        return names[0], names[-1]

    @property
    def has_subscriber(self) -> bool:
        """Whether the sending topic has a subscriber."""
        return bool(self._publisher.get_subscription_count())

    def send(self, arguments: Mapping[str, Json]) -> None:
        """Send a command or an answer."""
        self._publisher.publish(String(data=as_text(arguments)))

    def take_received(self) -> list[dict[str, Json]]:
        """Return the messages received since the last call, in order."""
        with self._lock:
            messages = list(self._received)
            self._received.clear()
        return messages

    def close(self) -> None:
        """Stop listening."""
        self._context.try_shutdown()
        self._thread.join(_JOIN_S)
        self.node.destroy_node()

    def _on_message(self, message: String) -> None:
        try:
            received = from_text(message.data)
        except ValueError as error:
            self.malformed.append(str(error))
            return
        with self._lock:
            self._received.append(received)

    def _spin(self) -> None:
        try:
            self._executor.spin()
        except ExternalShutdownException:
            return


def _serve(callback: Callable[[Mapping[str, Json]], str], request: Any, response: Any) -> Any:
    try:
        response.reason = callback(_parse_object(request.event.arguments or "{}"))
    except ValueError as error:
        response.reason = str(error)
    response.accepted = not response.reason
    return response


def as_text(arguments: Mapping[str, Json]) -> str:
    """Return arguments of a command or an answer as JSON text."""
    return json.dumps(dict(arguments), separators=(",", ":"))


def from_text(text: str) -> dict[str, Json]:
    """Parse the arguments of a command or an answer.

    Raises:
        ValueError: if the text is not a JSON object with an integer ``id``, or has numbers that are not finite.
    """
    arguments = _parse_object(text)
    if not is_int64(arguments.get("id")):
        raise ValueError(f"found {text[:80]!r}; expected a JSON object with a whole number id")
    return arguments


def _parse_object(text: str) -> dict[str, Json]:
    """Parse a JSON object.

    Raises:
        ValueError: if the text is not a JSON object, or has numbers that are not finite.
    """
    try:
        arguments = json.loads(text, parse_constant=_reject_non_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError(f"found {text[:80]!r}; it is nested too deeply") from None
    if not isinstance(arguments, dict):
        raise ValueError(f"found {text[:80]!r}; expected a JSON object")
    return arguments


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        _reject_non_finite(text)
    return value


def _reject_non_finite(text: str) -> Json:
    raise ValueError(f"found {text}; expected finite numbers")
