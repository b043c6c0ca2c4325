"""The connection to a lab robot, with delays and lost answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_suite.episode import named_generator
from hetwin_suite.model import Event
from hetwin_twin_lab.hidden import HiddenParameters
from hetwin_twin_lab.robot import LabRobot


class Connection:
    """Delivers commands to a robot, and returns its answers.

    Args:
        robot: robot with the reactive layer.
        hidden: delays and losses.
        seed: seed of the losses.
        command: name of the command events.
        reply: name of the reactive layer's events that are answers.

    Attributes:
        lost, late: number of lost and of late answers so far.
    """

    def __init__(
        self, robot: LabRobot, hidden: HiddenParameters, seed: int, command: str, reply: str
    ) -> None:
        self._robot, self._hidden = robot, hidden
        self._command, self._reply = command, reply
        self._random: np.random.Generator = named_generator("lab robot's connection", seed)
        self._commands: list[tuple[int, Event]] = []
        self._answers: list[tuple[int, Event]] = []
        self._lag_ns = round(hidden.lag * 1e9)
        self.lost = self.late = 0

    def advance(self, time_ns: int, events: Sequence[Event]) -> list[Event]:
        """Advance the robot to a time, and return the answers received until then.

        Args:
            time_ns: time to reach [ns].
            events: events since the last call; commands among them are delivered.
        """
        for event in events:
            if event.name == self._command:
                self._commands.append((event.time_ns + self._lag_ns, event))
        robot = self._robot
        while robot.time_ns + robot.period_ns <= time_ns:
            due: list[Event] = []
            if robot.takes_commands:
                now = robot.time_ns + robot.period_ns
                due = [event for arrival_ns, event in self._commands if arrival_ns <= now]
                self._commands = [
                    (arrival_ns, event) for arrival_ns, event in self._commands if arrival_ns > now
                ]
            for event in robot.step(due):
                if event.name == self._reply:
                    self._send_answer(event)
        received = [event for arrival_ns, event in self._answers if arrival_ns <= time_ns]
        self._answers = [
            (arrival_ns, event) for arrival_ns, event in self._answers if arrival_ns > time_ns
        ]
        return [Event(self._reply, time_ns, arguments=dict(event.arguments)) for event in received]

    def _send_answer(self, event: Event) -> None:
        """Send an answer unless it is lost; each answer draws equally many numbers, so that draws stay aligned."""
        hidden = self._hidden
        lost, late = self._random.random(2).tolist()
        if lost < hidden.lost:
            self.lost += 1
            return
        arrival_ns = event.time_ns + self._lag_ns
        if late < hidden.late:
            self.late += 1
            arrival_ns += round(hidden.late_by * 1e9)
        self._answers.append((arrival_ns, event))
