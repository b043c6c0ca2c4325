"""A real robot beside its twin: the link's commands go to it over ROS 2, and its answers come back."""

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
from hetwin_twin_lab.wired import OnTopics, Wired
from hetwin_twin_lab.words import COMMAND, NOT_UNDERSTOOD, REPLY

_LOOK_S = 0.05


class Settings(OnTopics):
    """The parameters of the model."""

    link: Name = parameter("model whose events are the commands", "link")
    command: Text = parameter("name of the events that are commands to it", "command")
    reply: Text = parameter("name of the events that its answers become", "reply")
    wait: Amount = parameter("how long to wait for the robot at the start", 20.0, "s")


class RemoteRobot(Wired[Settings]):
    """Publishes commands as JSON on lab/command (std_msgs/String), and raises what it hears on lab/reply as events.

    It waits for the robot at the start. A robot that falls silent is no error here: the link reports what is missing.
    """

    summary = "A real robot on ROS 2 that takes a link's commands as text, and answers them."
    raises: ClassVar[Mapping[str, str]] = {
        "reply": "an answer of the robot: what it says, id and code among it",
        NOT_UNDERSTOOD: "an answer that could not be read: remark",
    }

    node, sends, hears = "robot_commander", COMMAND, REPLY

    def start(self, scene: Snapshot) -> None:
        """Wait for the robot.

        Raises:
            BadInput: if it does not come.
        """
        wire = self.opened(scene.time_ns)
        until = time.monotonic() + self.settings.wait
        while not wire.is_heard:
            if time.monotonic() > until:
                raise BadInput(
                    f"no robot listens to {wire.topics[0]}, {self.settings.wait:g} s long",
                    where="namespace",
                    found=self.settings.namespace,
                    expected="a robot that runs, such as hetwin robot obey SCENARIO",
                )
            time.sleep(_LOOK_S)

    def step(self, tick: Tick) -> Changes:
        """Send the commands that have come, and say what is heard."""
        settings, wire = self.settings, self.opened(tick.time_ns)
        for event in tick.events:
            if event.source == settings.link and event.name == settings.command:
                wire.send(event.arguments)
        changes = tick.changes()
        for said in wire.heard():
            changes.event(settings.reply, **said)
        self.report_unread(wire, changes)
        return changes
