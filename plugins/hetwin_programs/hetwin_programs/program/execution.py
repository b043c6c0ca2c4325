"""Advances a robot's program in time: requests go to the twin, and actions proceed and end while the program waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hetwin_programs.program.messages import HeldThing, Picture, Request, SensedState, Twin
from hetwin_programs.program.tasks import Outbox, Task
from hetwin_suite.model import Json

_ROUNDING_S = 1e-9


class _RunningAction(NamedTuple):
    """An action in progress."""

    end: float
    operation: str
    announcement: Mapping[str, Json]
    then: Callable[[], None] | None


class Execution:
    """Execution of a robot's program: sends its requests to the twin, and waits for the replies.

    Args:
        twin: connection to the twin.
        sensed: sensor values at the start.
        held: returns the objects that the robot believes it is holding.
        scope: prefix of the ids of the robot's tasks.

    Attributes:
        sensed: current sensor values.
        outbox: messages of the program.
        tasks: active tasks, the innermost one last.
    """

    def __init__(
        self,
        twin: Twin,
        sensed: SensedState,
        held: Callable[[], Mapping[str, HeldThing]],
        scope: str,
    ) -> None:
        self.sensed = sensed
        self.outbox = Outbox(scope)
        self.tasks: list[Task] = []
        self._twin, self._held = twin, held
        self._running: list[_RunningAction] = []
        self._ends = sensed.time

    def begin(self, operation: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Announce the start of an action, unless its operation is empty; return the announcement's arguments."""
        announcement: dict[str, Json] = dict(arguments)
        if operation:
            announcement["task"] = self.outbox.name(operation)
            if self.tasks:
                announcement["parent"] = self.tasks[-1].id
            self.outbox.action(operation, "begin", announcement)
        return announcement

    def end(self, operation: str, announcement: Mapping[str, Json]) -> None:
        """Announce the end of an action."""
        if operation:
            self.outbox.action(operation, "end", announcement)

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
        """Start a motion, and announce it as an action.

        Args:
            request: request with the motion.
            seconds: duration of the motion [s].
            operation: operation to announce; empty: no announcement.
            arguments: arguments of the announcement.
            wait: whether to return only at the end of the motion.
            then: called at the end of the motion.
        """
        end = self.sensed.time + seconds
        self._ends = max(self._ends, end)
        self._running.append(_RunningAction(end, operation, self.begin(operation, arguments), then))
        self.wait(seconds if wait else 0.0, request)

    def wait_for_all(self) -> None:
        """Wait until all motions in progress are over."""
        self.wait(self._ends - self.sensed.time)

    def wait(
        self, seconds: float, request: Request | None = None, *, until_picture: bool = False
    ) -> list[Picture]:
        """Let time pass, and announce the ends of actions meanwhile; return the pictures taken.

        Args:
            seconds: duration [s].
            request: request that starts now.
            until_picture: whether to return as soon as a picture has been taken.
        """
        until = self.sensed.time + max(0.0, seconds)
        pictures: list[Picture] = []
        request_now = request or Request()
        while True:
            due = min((action.end for action in self._running), default=until)
            request_now.seconds = max(0.0, min(until, due) - self.sensed.time)
            request_now.until_picture, request_now.held = until_picture, dict(self._held())
            request_now.events = self.outbox.take()
            reply = self._twin.ask(request_now)
            self.sensed = reply.sensed
            pictures += reply.pictures
            self._end_finished_actions()
            if self.is_at(until) or (until_picture and pictures):
                return pictures
            request_now = Request()

    def is_at(self, time: float) -> bool:
        """Whether a time [s] has been reached."""
        return self.sensed.time >= time - _ROUNDING_S

    def _end_finished_actions(self) -> None:
        for action in [each for each in self._running if self.is_at(each.end)]:
            self._running.remove(action)
            self.end(action.operation, action.announcement)
            if action.then is not None:
                action.then()
