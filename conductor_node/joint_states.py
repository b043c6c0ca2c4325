"""The joints of the twin's robot on ``joint_states``, as the robot itself would publish them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.projection.periodic_messages import JointTemplate, joint_templates


def make_joint_states(
    publisher: Callable[[Any, str, QoSProfile], Any], *, live: bool
) -> TwinJoints | None:
    """What publishes the joints of a replay; None for a live robot, to whose own topic the twin listens.

    Args:
        publisher: makes a publisher from type, topic and QoS.
        live: whether the robot is a real one.
    """
    if live:
        return None
    return TwinJoints(publisher)


class TwinJoints:
    """Publishes positions, velocities and recorded efforts of each robot; stamps are simulated time.

    Args:
        publisher: makes a publisher from type, topic and QoS.
    """

    def __init__(self, publisher: Callable[[Any, str, QoSProfile], Any]) -> None:
        self._publisher = publisher
        # Offered before it is known what robots there are, so that listeners find it early.
        self._offered = {topics.JOINT_STATES: self._offer(topics.JOINT_STATES)}
        self._templates: list[JointTemplate] = []

    def begin(self, layout: Layout) -> None:
        """Find the robots of the scene."""
        self._templates = joint_templates(layout)
        for template in self._templates:
            if template.topic not in self._offered:
                self._offered[template.topic] = self._offer(template.topic)

    def _offer(self, topic: topics.Topic) -> Any:
        return self._publisher(JointState, topic.name, QoSProfile(depth=100))

    def publish(self, scene: Snapshot) -> None:
        """Publish the joints as they are in the scene."""
        for template in self._templates:
            data = bytes(template.fill(scene.time_ns, scene.values))
            self._offered[template.topic].publish(data)
