"""The base class of models that communicate on two ROS 2 topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from hetwin_suite.model import (
    BadInput,
    Changes,
    Contribution,
    Json,
    Model,
    Parameters,
    RunFailed,
    parameter,
)
from hetwin_twin_lab.event_names import NOT_UNDERSTOOD

if TYPE_CHECKING:
    from hetwin_twin_lab.topic_pair import TopicPair


class TopicParameters(Parameters):
    """The parameters that all models on topics share."""

    namespace: str = parameter("namespace of its topics", "")


Settings = TypeVar("Settings", bound=TopicParameters)


class TopicModel(Model[Settings], Generic[Settings]):
    """Opens its two topics at the start, and closes them at the end.

    Attributes:
        node: name of its node.
        sends, hears: topics to publish on and to subscribe to.
    """

    rate = 20.0
    node: ClassVar[str]
    publish_topic: ClassVar[str]
    subscribe_topic: ClassVar[str]

    def __init__(self) -> None:
        self._topics: TopicPair | None = None

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Open the topics.

        Raises:
            BadInput: if ROS 2 is missing.
        """
        try:
            from hetwin_twin_lab.topic_pair import TopicPair
        except ImportError as error:
            raise BadInput(
                f"ROS 2 cannot be imported: {error}",
                where="namespace",
                expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
            ) from None
        services = self.services()
        self._topics = TopicPair(
            settings.namespace, self.node, self.publish_topic, self.subscribe_topic, services
        )
        scene.needs()
        scene.reproducible = False

    def services(self) -> Mapping[str, Callable[[Mapping[str, Json]], str]]:
        """Return name -> callback of its services; a callback returns the reason for a refusal, or an empty string."""
        return {}

    def open_topics(self, time_ns: int) -> TopicPair:
        """Return the open topics.

        Raises:
            RunFailed: if the model is not initialized.
        """
        if self._topics is None:
            raise RunFailed(self.node, "step", time_ns, "the model is not initialized")
        return self._topics

    @staticmethod
    def report_unreadable(topic_pair: TopicPair, changes: Changes) -> None:
        """Raise an event for each message that could not be read."""
        while topic_pair.malformed:
            changes.event(NOT_UNDERSTOOD, remark=topic_pair.malformed.popleft())

    def stop(self) -> None:
        """Close the topics."""
        topic_pair, self._topics = self._topics, None
        if topic_pair is not None:
            topic_pair.close()
