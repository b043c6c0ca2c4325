"""The controllers of a robot: what its joints and its base are commanded to do, by the commands so far."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats
from hetwin_core.kinematics.planar import PlanarPose
from hetwin_core.kinematics.trajectories.execution import TrajectoryExecution
from model_nodes.main_physics.sources.commanded.commands import (
    Command,
    CommandRefused,
    StopCommand,
    TrajectoryCommand,
    TwistCommand,
)
from model_nodes.main_physics.sources.part import BaseMotion, JointMotion
from model_nodes.main_physics.wheels import DifferentialDrive, odometry_state
from model_nodes.main_physics.world.description import Body, Pose
from model_nodes.main_physics.world.transforms import compose, rotate


def told_start(base: FollowedBase, source: str) -> Sequence[float] | None:
    """Return where a base starts that no robot tells of: x y [m] and yaw [rad]; None: where it stands.

    Args:
        base: that is moved.
        source: what moves it, for the error.

    Raises:
        BadInput: if a topic is to say it.
    """
    if isinstance(base.start, str):
        raise BadInput(
            f"with {source} as the source nothing says where the base starts",
            where="robot.base.start",
            found=base.start,
            expected="x y yaw",
        )
    return base.start


class CommandedBase:
    """Adds up commanded velocities.

    Args:
        pose: where the root link is at first, in the world.
        start: x y [m] and yaw [rad] in its place, at the same height; None: there.
    """

    def __init__(self, pose: Pose, start: Sequence[float] | None) -> None:
        self._start = pose
        if start is not None:
            x, y, yaw = start
            half = yaw / 2.0
            self._start = (x, y, pose[2], math.cos(half), 0.0, 0.0, math.sin(half))
        self._pose = PlanarPose()
        self._twist = TwistCommand(0.0, 0.0, 0.0)
        self._time = 0.0

    def advance(self, twist: TwistCommand, time: float) -> None:
        """Go with a velocity until a time [s] that never decreases."""
        seconds, self._time, self._twist = time - self._time, time, twist
        self._pose = self._pose.after(
            twist.forward * seconds, twist.turn * seconds, twist.sideways * seconds
        )

    @classmethod
    def of(cls, robot: Body, base: FollowedBase, goes_by: str, source: str) -> CommandedBase:
        """Return the base of a robot that goes as it is commanded.

        Args:
            robot: whose pose is where it stands.
            base: what the scenario says of it.
            goes_by: the only thing that it can follow.
            source: what commands it, for errors.

        Raises:
            BadInput: if it is to follow anything else.
        """
        if base.odometry != goes_by:
            raise BadInput(
                f"with {source} as the source there is no odometry that the base could follow",
                where="robot.base.odometry",
                found=base.odometry,
                expected=f"{goes_by} (it goes as commanded), or base: free (its wheels move it)",
            )
        return cls(robot.pose, told_start(base, source))

    @property
    def motion(self) -> BaseMotion:
        """The state of the base now."""
        twist, state = self._twist, np.zeros(POSE_SIZE)
        state[:7] = compose(self._start, self._pose.in_space.tolist())
        state[7:10] = rotate(state.tolist(), (twist.forward, twist.sideways, 0.0))
        state[10:13] = rotate(self._start, (0.0, 0.0, twist.turn))
        odometry = odometry_state(self._pose, twist.forward, twist.turn)
        odometry[8] = twist.sideways
        return BaseMotion(state, odometry)


VELOCITY_TIMEOUT_S = 0.5
"""The base stops when its velocity was commanded longer ago than this."""
OWN_CLOCK_S = 10.0
"""A stamp further from now than this is another clock's."""


class Controllers:
    """Obeys commands: trajectories of joints, and velocities of a base on wheels.

    Args:
        joints: names of all joints, in the order of `motion`.
        resting: (n,) where they are at first [rad or m].
        groups: name of a controller -> its joints.
        wheels: those that a velocity of the base turns; None: there are none.
    """

    def __init__(
        self,
        joints: Sequence[str],
        resting: Floats,
        groups: Mapping[str, Sequence[str]],
        wheels: DifferentialDrive | None = None,
    ) -> None:
        self._groups = {name: tuple(members) for name, members in groups.items()}
        turning = () if wheels is None else wheels.joints
        commanded = {*turning, *(name for members in groups.values() for name in members)}
        self.driven: NDArray[np.bool_] = np.array([name in commanded for name in joints], np.bool_)
        self._execution = TrajectoryExecution(joints, np.where(self.driven, resting, 0.0))
        self._wheels = wheels
        self._turning = np.array([list(joints).index(name) for name in turning], np.intp)
        self._turned: Floats = np.zeros(len(turning))
        self._twist = TwistCommand(0.0, 0.0, 0.0)
        self._twist_until = self._time = -np.inf
        self._no_efforts = np.full(len(joints), np.nan)

    def obey(self, command: Command, now: float, epoch_ns: int = 0) -> float:
        """Begin to do what a command says; returns when that will be done [s].

        Args:
            command: checked.
            now: time of the last motion [s].
            epoch_ns: time 0, by the clock of this machine [ns].

        Raises:
            CommandRefused: if it is for others, or for another time.
        """
        match command:
            case TrajectoryCommand():
                return self._follow(command, now, epoch_ns)
            case StopCommand():
                self._execution.stop(self._groups.get(command.controller, ()), now)
            case TwistCommand():
                self._twist, self._twist_until = command, now + VELOCITY_TIMEOUT_S
                return self._twist_until
        return now

    def motion(self, time: float) -> JointMotion:
        """Return the commanded joints at a time [s] that never decreases."""
        positions, velocities, accelerations = self._execution.at(time)
        if self._wheels is not None:
            turning = self._wheels.wheel_velocities(*self._rolling(time))
            if np.isfinite(self._time):
                self._turned = self._turned + turning * (time - self._time)
            positions[self._turning] += self._turned
            velocities[self._turning] = turning
        self._time = time
        return JointMotion(positions, velocities, accelerations, self._no_efforts)

    def twist(self, time: float) -> TwistCommand:
        """Return the velocity of the base at a time [s]: 0 if its last command is too old."""
        return self._twist if time < self._twist_until else TwistCommand(0.0, 0.0, 0.0)

    def _rolling(self, time: float) -> tuple[float, float]:
        twist = self.twist(time)
        return twist.forward, twist.turn

    def _follow(self, command: TrajectoryCommand, now: float, epoch_ns: int) -> float:
        members = self._groups.get(command.controller, ())
        for name in command.trajectory.names:
            if name not in members:
                raise CommandRefused(
                    f"{command.controller} has no joint {name}; expected {one_of(name, members)}"
                )
        begin = _begin(command.stamp_ns, now, epoch_ns)
        if begin + command.trajectory.duration <= now:
            late = now - begin - command.trajectory.duration
            raise CommandRefused(
                f"the trajectory was over {late:.3f} s ago; expected a point that is still to come"
            )
        self._execution.follow(command.trajectory, begin, now)
        return begin + command.trajectory.duration


def _begin(stamp_ns: int, now: float, epoch_ns: int) -> float:
    """When a trajectory begins [s]: its stamp is this machine's time, or simulated time.

    Raises:
        CommandRefused: if it is neither.
    """
    if stamp_ns == 0:
        return now
    candidates = ((stamp_ns - epoch_ns) * 1e-9, stamp_ns * 1e-9)
    for begin in candidates:
        if abs(begin - now) <= OWN_CLOCK_S:
            return begin
    off = min((begin - now for begin in candidates), key=abs)
    raise CommandRefused(
        f"its stamp is {off:+.1f} s from now, so it is of another clock; expected this machine's time,"
        " simulated time, or 0 for at once"
    )
