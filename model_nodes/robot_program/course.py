"""Time of a robot's program: its actions go on and end while it waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hetwin_core.ensemble.events import Json
from model_nodes.robot_program.messages import HeldThing, Picture, Request, SensedState, Twin
from model_nodes.robot_program.telling import Task, Telling

_ROUNDING_S = 1e-9


class _Going(NamedTuple):
    """An action that goes on."""

    end: float
    operation: str
    said: Mapping[str, Json]
    then: Callable[[], None] | None


class Course:
    """Passes on the program's requests, and waits for the twin.

    Args:
        twin: the other end.
        sensed: at the begin.
        held: returns the objects that the robot believes to hold.
        scope: before the ids of its tasks.

    Attributes:
        sensed: present sensor values.
        telling: its messages.
        tasks: those that are active, the innermost last.
    """

    def __init__(
        self,
        twin: Twin,
        sensed: SensedState,
        held: Callable[[], Mapping[str, HeldThing]],
        scope: str,
    ) -> None:
        self.sensed = sensed
        self.telling = Telling(scope)
        self.tasks: list[Task] = []
        self._twin, self._held = twin, held
        self._going: list[_Going] = []
        self._ends = sensed.time

    def begun(self, operation: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Announce that an action begins, unless its operation is empty; returns its arguments."""
        said: dict[str, Json] = dict(arguments)
        if operation:
            said["task"] = self.telling.name(operation)
            if self.tasks:
                said["parent"] = self.tasks[-1].id
            self.telling.action(operation, "begin", said)
        return said

    def over(self, operation: str, said: Mapping[str, Json]) -> None:
        """Announce that an action is over."""
        if operation:
            self.telling.action(operation, "end", said)

    def go(
        self,
        request: Request,
        seconds: float,
        operation: str,
        arguments: Mapping[str, Json],
        *,
        wait: bool,
        then: Callable[[], None] | None = None,
    ) -> None:
        """Begin a motion, and announce it as an action.

        Args:
            request: with the motion.
            seconds: that it takes.
            operation: as which it is announced; empty: not at all.
            arguments: of the announcement.
            wait: whether to return when it is over.
            then: is called when it is over.
        """
        end = self.sensed.time + seconds
        self._ends = max(self._ends, end)
        self._going.append(_Going(end, operation, self.begun(operation, arguments), then))
        self.wait(seconds if wait else 0.0, request)

    def wait_for_all(self) -> None:
        """Wait until all motions that go on are over."""
        self.wait(self._ends - self.sensed.time)

    def wait(
        self, seconds: float, request: Request | None = None, *, until_picture: bool = False
    ) -> list[Picture]:
        """Let time pass, and announce ended actions meanwhile; returns the pictures that were taken.

        Args:
            seconds: how long.
            request: that begins now.
            until_picture: whether to return as soon as there is one.
        """
        until = self.sensed.time + max(0.0, seconds)
        pictures: list[Picture] = []
        asked = request or Request()
        while True:
            due = min((action.end for action in self._going), default=until)
            asked.seconds = max(0.0, min(until, due) - self.sensed.time)
            asked.until_picture, asked.held = until_picture, dict(self._held())
            asked.events = self.telling.take()
            reply = self._twin.ask(asked)
            self.sensed = reply.sensed
            pictures += reply.pictures
            self._end_what_is_over()
            if self.is_at(until) or (until_picture and pictures):
                return pictures
            asked = Request()

    def is_at(self, time: float) -> bool:
        """Whether a time has come [s]."""
        return self.sensed.time >= time - _ROUNDING_S

    def _end_what_is_over(self) -> None:
        for action in [each for each in self._going if self.is_at(each.end)]:
            self._going.remove(action)
            self.over(action.operation, action.said)
            if action.then is not None:
                action.then()
