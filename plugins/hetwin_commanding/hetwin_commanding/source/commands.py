"""Commands to a robot, checked as they come, those that wait for the next step, and what becomes of each."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from hetwin_suite.robot import JointTrajectory, TrajectoryPoint
from hetwin_suite.source import InvalidTrajectory, TwistCommand


class GoalEnd(StrEnum):
    """How a goal ended."""

    REACHED = "reached"
    REPLACED = "replaced"
    """Its controller got another motion."""
    CANCELED = "canceled"
    REFUSED = "refused"


class Outcome(NamedTuple):
    """How a goal ended, and the reason in words; empty if it was reached."""

    end: GoalEnd
    reason: str = ""


class Goals:
    """The goals of all controllers by their numbers; asked by one thread, and ended by another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, tuple[int, float]] = {}
        self._outcomes: dict[int, Outcome] = {}

    def begin_motion(self, controller: str, number: int, end: float) -> None:
        """Take note that a controller has a new motion.

        Args:
            controller: its name; the goal that it had is replaced.
            number: of the goal; 0: nothing waits for it.
            end: when the motion ends [s].
        """
        with self._lock:
            former = self._running.pop(controller, None)
            if former is not None:
                self._outcomes[former[0]] = Outcome(
                    GoalEnd.REPLACED, f"{controller} got another motion"
                )
            if number:
                self._running[controller] = number, end

    def refuse(self, number: int, reason: str) -> None:
        """Take note that a goal was refused."""
        with self._lock:
            if number:
                self._outcomes[number] = Outcome(GoalEnd.REFUSED, reason)

    def cancel(self, controller: str, number: int) -> bool:
        """Give up a goal; returns whether it was still on its way."""
        with self._lock:
            if self._running.get(controller, (0, 0.0))[0] != number:
                return False
            del self._running[controller]
            self._outcomes[number] = Outcome(GoalEnd.CANCELED, "it was canceled")
            return True

    def note_time(self, time: float) -> None:
        """Take note that a time [s] has come, by which some may have been reached."""
        if not self._running:
            return
        with self._lock:
            for controller, (number, end) in list(self._running.items()):
                if time >= end:
                    del self._running[controller]
                    self._outcomes[number] = Outcome(GoalEnd.REACHED)

    def take(self, number: int) -> Outcome | None:
        """Return how a goal ended, once; None: it has not."""
        with self._lock:
            return self._outcomes.pop(number, None)


class CommandRefused(Exception):
    """A command that cannot be obeyed; the text is the reason."""


@dataclass(frozen=True, slots=True)
class TrajectoryCommand:
    """A motion of some joints.

    Attributes:
        controller: that gets it.
        trajectory: with the motion.
        stamp_ns: when it begins, by the sender's clock [ns]; 0: at once.
        number: of the goal, if the sender waits for the end; 0: it does not.
    """

    controller: str
    trajectory: JointTrajectory
    stamp_ns: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True)
class StopCommand:
    """The joints of a controller are to rest where they are; `number` is the goal that is given up."""

    controller: str
    number: int = 0


Command = TrajectoryCommand | StopCommand | TwistCommand


def trajectory_command(
    controller: str,
    names: Sequence[str],
    points: Sequence[TrajectoryPoint],
    stamp_ns: int = 0,
    number: int = 0,
) -> TrajectoryCommand:
    """Return a checked command.

    Raises:
        CommandRefused: if it is no motion that ends at rest.
    """
    if not points:  # joint_trajectory_controller stops then
        raise CommandRefused("points: there are none; expected some")
    try:
        trajectory = JointTrajectory.through(names, points)
    except InvalidTrajectory as error:
        raise CommandRefused(str(error)) from None
    if trajectory.ends_in_motion:
        raise CommandRefused("its last point has velocities; expected 0, for nothing follows it")
    return TrajectoryCommand(controller, trajectory, stamp_ns, number)


def twist_command(forward: float, sideways: float, turn: float) -> TwistCommand:
    """Return a checked command; see `TwistCommand`.

    Raises:
        CommandRefused: if a number is not finite.
    """
    if not all(math.isfinite(number) for number in (forward, sideways, turn)):
        raise CommandRefused(f"velocity {forward:g} {sideways:g} {turn:g}; expected finite numbers")
    return TwistCommand(forward, sideways, turn)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command that was refused: the topic or action on which it came, and the reason."""

    topic: str
    reason: str


class Inbox:
    """What has arrived since the last step; filled by one thread and emptied by another.

    Attributes:
        taken: number of commands so far.
        refused: number of those that were refused.
        last_refusal: topic and reason of the last one.
        goals: what becomes of motions whose sender waits for the end.
    """

    def __init__(self) -> None:
        self.goals = Goals()
        self._lock = threading.Lock()
        self._commands: deque[tuple[int, str, Command]] = deque()
        self._refusals: deque[Refusal] = deque(maxlen=1000)
        self.taken = 0
        self.refused = 0
        self.last_refusal = ""

    def put(self, topic: str, command: Command) -> None:
        """Add a command that came on a topic."""
        with self._lock:
            self._commands.append((time.monotonic_ns(), topic, command))

    def refuse(self, topic: str, reason: str) -> None:
        """Note that a command was refused."""
        with self._lock:
            self._refusals.append(Refusal(topic, reason))
            self.refused += 1
            self.last_refusal = f"{topic}: {reason}"

    def take(self, until_ns: float = math.inf) -> list[tuple[str, Command]]:
        """Return the commands that have not been taken, each with its topic.

        Args:
            until_ns: the latest arrival, by the monotonic clock [ns]; what came later waits for another call.
        """
        with self._lock:
            taken = []
            while self._commands and self._commands[0][0] <= until_ns:
                taken.append(self._commands.popleft()[1:])
            self.taken += len(taken)
            return taken

    def take_refusals(self) -> list[Refusal]:
        """Return the refusals since the last call."""
        with self._lock:
            refusals = list(self._refusals)
            self._refusals.clear()
            return refusals
