"""Checked commands to a robot, and the inbox in which they wait for the next step."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_commanding.source.ends import Goals, Joints, Judge, Wrong
from hetwin_suite.robot import JointTrajectory, TrajectoryPoint
from hetwin_suite.source import InvalidTrajectory, TwistCommand


class CommandRefused(Exception):
    """A command that cannot be obeyed; the text is the reason.

    Attributes:
        wrong: faulty part of the command.
    """

    def __init__(self, reason: str, wrong: Wrong = Wrong.GOAL) -> None:
        super().__init__(reason)
        self.wrong = wrong


@dataclass(frozen=True, slots=True)
class TrajectoryCommand:
    """A motion of some joints.

    Attributes:
        controller: name of the controller.
        trajectory: the motion.
        stamp_ns: start on the sender's clock [ns]; 0: at once.
        number: number of the goal; 0 if the sender does not wait for its end.
        judge: decides when the goal ends; None: it is reached at the end of the motion.
    """

    controller: str
    trajectory: JointTrajectory
    stamp_ns: int = 0
    number: int = 0
    judge: Judge | None = None


@dataclass(frozen=True, slots=True)
class GripCommand:
    """A goal position of a gripper's joint.

    Attributes:
        controller: name of the controller.
        joint: joint of the gripper.
        position: goal position [rad or m].
        velocity: velocity of the motion [rad/s or m/s].
        judge: decides when the goal ends.
        number: number of the goal.
    """

    controller: str
    joint: str
    position: float
    velocity: float
    judge: Judge
    number: int = 0


@dataclass(frozen=True, slots=True)
class JogCommand:
    """A short motion of n joints from their commanded positions.

    Attributes:
        controller: name of the controller.
        names: names of the joints.
        displacements: (n,) displacements [rad or m]; empty: velocities times duration.
        velocities: (n,) velocities [rad/s or m/s]; empty: displacements over the duration.
        duration: duration [s].
    """

    controller: str
    names: tuple[str, ...]
    displacements: tuple[float, ...]
    velocities: tuple[float, ...]
    duration: float

    def trajectory(self, positions: Sequence[float]) -> JointTrajectory:
        """Return the motion from the commanded positions (n,) to rest."""
        if not self.displacements:
            displacements = [v * self.duration for v in self.velocities]
            ends = [
                at + displacement + v * JOG_STOP_S / 2.0
                for at, displacement, v in zip(
                    positions, displacements, self.velocities, strict=True
                )
            ]
            goal = [
                at + displacement for at, displacement in zip(positions, displacements, strict=True)
            ]
            points = [
                TrajectoryPoint(self.duration, goal, self.velocities),
                TrajectoryPoint(self.duration + JOG_STOP_S, ends, [0.0] * len(ends)),
            ]
            return JointTrajectory.through(self.names, points)
        ends = [
            at + displacement
            for at, displacement in zip(positions, self.displacements, strict=True)
        ]
        lasting = self.duration
        if self.velocities:
            pairs = zip(self.displacements, self.velocities, strict=True)
            # on a cubic from rest to rest, the maximum velocity is 1.5 times the mean
            lasting = max(1.5 * abs(displacement) / abs(v) for displacement, v in pairs)
        last = TrajectoryPoint(max(lasting, LEAST_S), ends, [0.0] * len(ends))
        return JointTrajectory.through(self.names, [last])


JOG_STOP_S = 0.1
"""Time in which joints stop after they were jogged with a velocity [s]."""
LEAST_S = 0.02
"""Minimum duration of a motion [s]."""


@dataclass(frozen=True, slots=True)
class StopCommand:
    """Stops the joints of a controller at their present positions; `number` is the goal that is cancelled."""

    controller: str
    number: int = 0


Command = TrajectoryCommand | GripCommand | JogCommand | StopCommand | TwistCommand


def trajectory_command(
    controller: str,
    names: Sequence[str],
    points: Sequence[TrajectoryPoint],
    stamp_ns: int = 0,
    number: int = 0,
) -> TrajectoryCommand:
    """Return a checked command.

    Raises:
        CommandRefused: if the motion is invalid, or does not end at rest.
    """
    if not points:  # joint_trajectory_controller stops on an empty trajectory
        raise CommandRefused("points: there are none; expected some")
    try:
        trajectory = JointTrajectory.through(names, points)
    except InvalidTrajectory as error:
        raise CommandRefused(str(error)) from None
    if trajectory.ends_in_motion:
        raise CommandRefused("its last point has velocities; expected 0, for nothing follows it")
    return TrajectoryCommand(controller, trajectory, stamp_ns, number)


def jog_command(
    controller: str,
    names: Sequence[str],
    displacements: Sequence[float],
    velocities: Sequence[float],
    duration: float,
) -> JogCommand:
    """Return a checked command; see `JogCommand`. Without a duration, velocities hold until they time out.

    Raises:
        CommandRefused: if the motion is invalid.
    """
    count = len(names)
    if not count or len(set(names)) != count:
        raise CommandRefused(f"joints {', '.join(names) or 'none'}; expected some, each once")
    for what, values in (("displacements", displacements), ("velocities", velocities)):
        if values and len(values) != count:
            raise CommandRefused(f"{what}: {len(values)} numbers; expected {count}")
    if not displacements and not velocities:
        raise CommandRefused("no displacements and no velocities; expected one of them")
    numbers = [*displacements, *velocities, duration]
    if not all(math.isfinite(number) for number in numbers) or duration < 0.0:
        raise CommandRefused("a number is not finite, or the duration is negative")
    if displacements and velocities and not all(velocities):
        raise CommandRefused("a velocity of 0 with a displacement; expected another")
    if displacements and not velocities and duration == 0.0:
        raise CommandRefused("displacements without velocities or a duration; expected one of them")
    lasting = duration if displacements or duration else JOG_TIMEOUT_S
    return JogCommand(controller, tuple(names), tuple(displacements), tuple(velocities), lasting)


def trajectory_of_message(controller: str, message: Any) -> TrajectoryCommand:
    """Return the checked command of a trajectory_msgs/msg/JointTrajectory.

    Raises:
        CommandRefused: if the motion is invalid, or does not end at rest.
    """
    points = [
        TrajectoryPoint(
            point.time_from_start.sec + point.time_from_start.nanosec * 1e-9,
            point.positions,
            point.velocities,
            point.accelerations,
        )
        for point in message.points
    ]
    stamp = message.header.stamp
    stamp_ns = stamp.sec * 1_000_000_000 + stamp.nanosec
    return trajectory_command(controller, list(message.joint_names), points, stamp_ns)


JOG_TIMEOUT_S = 0.5
"""Timeout of a jog by velocity, after which the joints stop [s]."""


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
    """A refused command: the topic or action on which it arrived, and the reason."""

    topic: str
    reason: str


class Inbox:
    """The commands since the last step; one thread fills and another one empties it.

    Attributes:
        taken: number of commands so far.
        refused: number of refused commands.
        last_refusal: topic and reason of the last refusal.
        goals: goals whose sender waits for the end.
        joints: present joint states; None if not known yet.
    """

    def __init__(self) -> None:
        self.goals = Goals()
        self.joints: Joints | None = None
        self._lock = threading.Lock()
        self._commands: deque[tuple[int, str, Command]] = deque()
        self._refusals: deque[Refusal] = deque(maxlen=1000)
        self.taken = 0
        self.refused = 0
        self.last_refusal = ""

    def put(self, topic: str, command: Command) -> None:
        """Add a command that arrived on a topic."""
        with self._lock:
            self._commands.append((time.monotonic_ns(), topic, command))

    def refuse(self, topic: str, reason: str) -> None:
        """Record a refused command."""
        with self._lock:
            self._refusals.append(Refusal(topic, reason))
            self.refused += 1
            self.last_refusal = f"{topic}: {reason}"

    def take(self, until_ns: float = math.inf) -> list[tuple[str, Command]]:
        """Remove and return the pending commands, each with its topic.

        Args:
            until_ns: latest arrival on the monotonic clock [ns]; later commands remain.
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
