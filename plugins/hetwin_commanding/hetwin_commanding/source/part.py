"""The source `commands`: the twin obeys commands in real time, as the robot would."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hetwin_commanding.source.commands import (
    CommandRefused,
    GripCommand,
    Inbox,
    JogCommand,
    StopCommand,
    TrajectoryCommand,
)
from hetwin_commanding.source.controllers import Controllers
from hetwin_commanding.source.ends import Joints
from hetwin_commanding.source.parameters import Controller, controllers_of
from hetwin_suite.engine import Body
from hetwin_suite.model import BadInput, Event, Floats, one_of
from hetwin_suite.robot import DifferentialDrive
from hetwin_suite.source import (
    BaseMotion,
    CommandedBase,
    CommandsSpec,
    FollowedBase,
    JointMotion,
    Part,
    Placement,
    SourceContext,
    TwistCommand,
)

SECOND = 1_000_000_000


class Pace:
    """Waits until a step is due; if the twin lags by more than a limit, the lag is dropped from its clock.

    Args:
        max_lag: maximum lag [s].

    Attributes:
        period_ns: period of the steps [ns].
        late: whether the twin lags.
        epoch_ns: time 0 of the run on this machine's clock [ns].
    """

    def __init__(self, max_lag: float) -> None:
        self._max_ns = round(max_lag * SECOND)
        self._begun_ns = 0
        self._lost_ns = 0
        self.period_ns = 0
        self.late = False
        self.running = False
        self.epoch_ns = 0

    def start_clock(self) -> int:
        """Start the clock, and return `epoch_ns`."""
        self._begun_ns, self.epoch_ns = time.monotonic_ns(), time.time_ns()
        self.running = True
        return self.epoch_ns

    def wait(self, time_ns: int) -> None:
        """Wait until the step that ends at a time of the run may start."""
        ahead = self.real_ns(time_ns - self.period_ns) - time.monotonic_ns()
        if ahead > 0:
            time.sleep(ahead / SECOND)
            self.late = False
            return
        behind = -ahead
        self.late = behind > (self._max_ns // 2 if self.late else self._max_ns)
        if behind > self._max_ns:
            self._begun_ns += behind
            self.epoch_ns += behind
            self._lost_ns += behind

    def real_ns(self, time_ns: int) -> int:
        """Return a time of the run on the monotonic clock [ns]."""
        return self._begun_ns + time_ns

    def events(self, time_ns: int) -> list[Event]:
        """Return events about time that was dropped since the last call."""
        lost, self._lost_ns = self._lost_ns, 0
        if not lost:
            return []
        return [Event("time_lost", time_ns, arguments={"seconds": round(lost / SECOND, 3)})]


DEFAULT_CONTROLLER = "joint_trajectory_controller"
"""Controller for trajectories of all joints except wheels, if the scenario names no controllers."""
_AGAIN_S = 1.0
"""Minimum time between two reports of the same refusal on a topic [s]."""


class Link(Protocol):
    """Receives messages, and fills the inbox."""

    def events(self, time_ns: int) -> list[Event]:
        """Return annotations and topic values since the last call, up to this time [ns] of the run."""

    def set_epoch(self, epoch_ns: int) -> None:
        """Set the time 0 of the run on this machine's clock [ns]."""

    def close(self) -> None:
        """Stop listening."""


class CommandedPart(Part):
    """Moves joints and base by commands; each command takes effect at the step after its arrival.

    A lagging twin catches up first: a step never obeys a command that arrived after the step's end in real time.
    `motion` blocks until a step is due.

    Args:
        spec: namespace, and the policy for a lagging twin.
        robots: the commanded robot.
        listen: opens the link that fills an inbox for these controllers; their joints may be patterns.
        wheels: wheels that a commanded velocity of the base turns; None: there are none.
    """

    is_live = True
    senses = True

    def __init__(
        self,
        spec: CommandsSpec,
        robots: Sequence[Body],
        listen: Callable[[CommandsSpec, Sequence[Controller], Inbox], Link],
        wheels: DifferentialDrive | None = None,
    ) -> None:
        self._spec = spec
        self._bodies = tuple(robots)
        self._inbox = Inbox()
        self._wheels = wheels
        self._base: CommandedBase | None = None
        self._controllers: Controllers | None = None
        self._pace = Pace(spec.max_lag)
        self._motion_ns = -1
        self._motion: JointMotion | None = None
        self._reported: dict[tuple[str, str], float] = {}
        self._named = controllers_of(spec.controllers, _file(spec))
        self._moving: tuple[str, ...] = ()
        self._sensed: tuple[int, Floats, Floats, Floats] | None = None
        self._link = listen(spec, self._served(), self._inbox)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that commands may move."""
        return tuple(j.name for body in self._bodies for j in body.driven_joints if not j.mimic)

    @property
    def epoch_ns(self) -> int:
        """Time 0 of the run on this machine's clock [ns]; it changes when lag is dropped."""
        return self._pace.epoch_ns

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Bind a base that follows the commanded velocity.

        Raises:
            BadInput: if the base follows anything else.
        """
        self._base = CommandedBase.of(robot, base, self._spec.velocity, "commands")

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Set joints and their order for `motion`; return (joints,) whether commands may move each joint.

        Raises:
            BadInput: if a controller names a joint that does not exist or that another controller has.
        """
        turning = () if self._wheels is None else self._wheels.joints
        groups: Mapping[str, Sequence[str]] = {
            DEFAULT_CONTROLLER: [n for n in self.joint_names if n in joints and n not in turning]
        }
        if self._named is not None:
            groups = self._grouped(
                {controller.name: controller.joints for controller in self._named.values()}, joints
            )
        self._moving = tuple(joints)
        at = np.array([(resting or {}).get(name, 0.0) for name in joints])
        self._controllers = Controllers(joints, at, groups, self._wheels)
        self._pace.period_ns = period_ns
        return self._controllers.driven

    def _served(self) -> list[Controller]:
        """Return the controllers with the names of their joints."""
        names = [joint for joint in self.joint_names if not self._turns(joint)]
        if self._named is None:
            return [Controller(DEFAULT_CONTROLLER, tuple(names))]
        return [
            replace(
                controller,
                joints=tuple(
                    name
                    for name in names
                    if any(fnmatchcase(name, joint) for joint in controller.joints)
                ),
            )
            for controller in self._named.values()
        ]

    def _turns(self, joint: str) -> bool:
        return self._wheels is not None and joint in self._wheels.joints

    def _grouped(
        self, controllers: Mapping[str, Sequence[str]], joints: Sequence[str]
    ) -> dict[str, list[str]]:
        """Return controller -> its joints, with patterns resolved."""
        groups: dict[str, list[str]] = {name: [] for name in controllers}
        owner = dict.fromkeys(() if self._wheels is None else self._wheels.joints, "robot.wheels")
        for controller, patterns in controllers.items():
            for i, pattern in enumerate(patterns):
                where = f"source.controllers.{controller}.{i}"
                meant = [name for name in joints if fnmatchcase(name, pattern)]
                if not meant:
                    raise BadInput(
                        "the robot has no such joint that is driven",
                        where=where,
                        found=pattern,
                        expected=one_of(pattern, joints, "a pattern"),
                    )
                for name in meant:
                    if owner.setdefault(name, controller) != controller:
                        raise BadInput(
                            "this joint is commanded twice",
                            where=where,
                            found=name,
                            expected=f"joints that are not in {owner[name]}",
                        )
                groups[controller] += [name for name in meant if name not in groups[controller]]
        return groups

    def start(self) -> bool:
        """Start the clock; return False, since nothing has moved yet."""
        self._link.set_epoch(self._pace.start_clock())
        return False

    def sense(
        self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]
    ) -> Placement | None:
        """Store the joint positions at a time; velocities are differences to the previous ones."""
        positions = np.array([joints.get(name, np.nan) for name in self._moving])
        speeds = np.zeros_like(positions)
        if self._sensed is not None and time_ns > self._sensed[0]:
            speeds = (positions - self._sensed[1]) / ((time_ns - self._sensed[0]) * 1e-9)
        self.measured(time_ns, positions, speeds, np.full(len(positions), np.nan))
        return None

    def measured(self, time_ns: int, positions: Floats, speeds: Floats, efforts: Floats) -> None:
        """Store the states of the bound joints at a time, each (n,) [rad or m, per second, Nm or N]."""
        self._sensed = time_ns, positions, speeds, efforts

    def motion(self, time_ns: int) -> JointMotion:
        """Return the commanded motion of the joints at a time; blocks until it is due."""
        return self._advance(time_ns)

    def base(self, time_ns: int) -> BaseMotion:
        """Return the commanded motion of the base at a time; blocks until it is due."""
        self._advance(time_ns)
        if self._base is None:
            raise RuntimeError("no base is bound; call bind_base before base")
        return self._base.motion

    def twist(self, time_ns: int) -> TwistCommand:
        """Return the commanded velocity of the base at a time; blocks until it is due."""
        self._advance(time_ns)
        assert self._controllers is not None
        return self._controllers.twist(time_ns * 1e-9)

    def _advance(self, time_ns: int) -> JointMotion:
        controllers = self._controllers
        if controllers is None:
            raise RuntimeError("the source is not bound; call bind before motion")
        if self._motion is None or time_ns != self._motion_ns:
            if self._pace.running:
                self._pace.wait(time_ns)
                self.late = self._pace.late
                until_ns = self._pace.real_ns(time_ns)
                self._obey(controllers, max(self._motion_ns, 0) * 1e-9, until_ns)
            self._motion = controllers.motion(time_ns * 1e-9)
            if self._base is not None:
                self._base.advance(controllers.twist(time_ns * 1e-9), time_ns * 1e-9)
            self._motion_ns = time_ns
        return self._motion

    def _obey(self, controllers: Controllers, now: float, until_ns: int) -> None:
        goals = self._inbox.goals
        joints = self._joints(now)
        if joints is not None:
            self._inbox.joints = joints
        for controller in goals.look(now, joints):
            assert joints is not None  # without joint states no goal fails
            here = dict(zip(joints.names, joints.positions.tolist(), strict=True))
            controllers.hold(controller, here, now)
        for topic, command in self._inbox.take(until_ns):
            if isinstance(command, StopCommand) and not goals.cancel(
                command.controller, command.number
            ):
                continue
            awaited = command if isinstance(command, TrajectoryCommand | GripCommand) else None
            number = 0 if awaited is None else awaited.number
            try:
                end = controllers.obey(command, now, self._pace.epoch_ns)
            except CommandRefused as refused:
                self._inbox.refuse(topic, str(refused))
                goals.refuse(number, str(refused), refused.wrong)
                continue
            if isinstance(command, TrajectoryCommand | GripCommand | JogCommand):
                judge = None if awaited is None else awaited.judge
                goals.begin_motion(command.controller, number, end, judge)

    def _joints(self, now: float) -> Joints | None:
        """Return the present joint states; None if they are not known yet."""
        if self._sensed is None or self._motion is None:
            return None
        _, positions, speeds, efforts = self._sensed
        wanted = self._motion
        known = np.isfinite(positions)
        return Joints(
            now,
            tuple(name for name, is_known in zip(self._moving, known, strict=True) if is_known),
            wanted.positions[known],
            wanted.velocities[known],
            positions[known],
            speeds[known],
            efforts[known],
        )

    def events(self, time_ns: int) -> list[Event]:
        """Return annotations, topic values, refused commands and dropped time up to `time_ns`."""
        found = [*self._link.events(time_ns), *self._pace.events(time_ns)]
        now = time.monotonic()
        for refusal in self._inbox.take_refusals():
            key = (refusal.topic, refusal.reason)
            if now - self._reported.get(key, -np.inf) >= _AGAIN_S:
                self._reported[key] = now
                arguments = {"topic": refusal.topic, "reason": refusal.reason}
                found.append(Event("command_refused", time_ns, arguments=dict(arguments)))
        return found

    def close(self) -> None:
        """Stop listening."""
        self._link.close()


def obeying(spec: CommandsSpec, context: SourceContext) -> CommandedPart:
    """Return the part for a scenario's source `commands`.

    Args:
        spec: keys of the source.
        context: the commanded robot, and wheels that a velocity of its base turns.

    Raises:
        ImportError: if ROS 2 is missing.
    """
    from hetwin_commanding.source.live_link import CommandLink

    return CommandedPart(spec, context.robots, CommandLink, context.wheels)


def _file(spec: CommandsSpec) -> Path | None:
    """Return the file of the controllers' parameters; None if there is none."""
    return None if spec.parameters is None else Path(spec.parameters)
