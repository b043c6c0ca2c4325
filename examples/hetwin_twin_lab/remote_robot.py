"""Connects a real robot to its twin: sends it a model's commands over ROS 2, and receives its replies."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import ClassVar

from hetwin_suite.model import (
    Amount,
    BadInput,
    Changes,
    Name,
    Snapshot,
    Text,
    Tick,
    parameter,
)
from hetwin_twin_lab.event_names import COMMAND, NOT_UNDERSTOOD, REPLY
from hetwin_twin_lab.topic_model import TopicModel, TopicParameters

_POLL_PERIOD_S = 0.05


class Settings(TopicParameters):
    """The parameters of the model."""

    link: Name = parameter("model whose events are the commands", "link")
    command: Text = parameter("name of the command events", "command")
    reply: Text = parameter("name of the events for answers", "reply")
    wait: Amount = parameter("maximum time to wait for the robot at the start", 20.0, "s")


class RemoteRobot(TopicModel[Settings]):
    """Publishes commands as JSON on lab/command (std_msgs/String), and raises messages on lab/reply as events.

    It waits for the robot at the start. A robot that falls silent later is no error here: the link reports it.
    """

    summary = "A real robot on ROS 2 that receives commands as JSON, and replies."
    raises: ClassVar[Mapping[str, str]] = {
        "reply": "an answer of the robot: its arguments, among them id and code",
        NOT_UNDERSTOOD: "an answer that could not be read: remark",
    }

    node, publish_topic, subscribe_topic = "robot_commander", COMMAND, REPLY

    def start(self, scene: Snapshot) -> None:
        """Wait for the robot.

        Raises:
            BadInput: if no robot subscribes in time.
        """
        topics = self.open_topics(scene.time_ns)
        deadline = time.monotonic() + self.settings.wait
        while not topics.has_subscriber:
            if time.monotonic() > deadline:
                raise BadInput(
                    f"no robot has subscribed to {topics.topics[0]} within {self.settings.wait:g} s",
                    where="namespace",
                    found=self.settings.namespace,
                    expected="a running robot, such as hetwin robot obey SCENARIO",
                )
            time.sleep(_POLL_PERIOD_S)

    def step(self, tick: Tick) -> Changes:
        """Send new commands, and raise received answers."""
        settings, topics = self.settings, self.open_topics(tick.time_ns)
        for event in tick.events:
            if event.source == settings.link and event.name == settings.command:
                topics.send(event.arguments)
        changes = tick.changes()
        for reply in topics.take_received():
            changes.event(settings.reply, **reply)
        self.report_unreadable(topics, changes)
        return changes
