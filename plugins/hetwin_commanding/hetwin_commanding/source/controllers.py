"""The controllers of a robot, which turn commands into motion of joints and base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_commanding.source.commands import (
    LEAST_S,
    Command,
    CommandRefused,
    GripCommand,
    JogCommand,
    StopCommand,
    TrajectoryCommand,
)
from hetwin_commanding.source.ends import Wrong
from hetwin_programs.trajectory_execution import TrajectoryExecution
from hetwin_suite.model import Floats, one_of
from hetwin_suite.robot import DifferentialDrive, JointTrajectory, TrajectoryPoint
from hetwin_suite.source import JointMotion, TwistCommand

VELOCITY_TIMEOUT_S = 0.5
"""Timeout of a velocity of the base, after which it stops [s]."""
HOLD_S = 0.1
"""Time in which joints come to rest after their goal has failed [s]."""
OWN_CLOCK_S = 10.0
"""Maximum offset between the present time and a stamp of the same clock [s]."""


class Controllers:
    """Executes commands: trajectories of joints, and velocities of a wheeled base.

    Args:
        joints: names of all joints, in the order of `motion`.
        resting: (n,) initial positions [rad or m].
        groups: controller -> its joints.
        wheels: wheels that a velocity of the base turns; None: there are none.
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
        """Start to execute a command, and return the time at which it ends [s].

        Args:
            command: the checked command.
            now: time of the last motion [s].
            epoch_ns: time 0 on this machine's clock [ns].

        Raises:
            CommandRefused: if the command is for other joints, or its time is over or of another clock.
        """
        match command:
            case TrajectoryCommand():
                return self._follow(command, now, epoch_ns)
            case GripCommand():
                return self._grip(command, now)
            case JogCommand():
                self._check(command.controller, command.names)
                motion = command.trajectory(self._positions(command.names, now))
                self._execution.follow(motion, now, now)
                return now + motion.duration
            case StopCommand():
                self._execution.stop(self._groups.get(command.controller, ()), now)
            case TwistCommand():
                self._twist, self._twist_until = command, now + VELOCITY_TIMEOUT_S
                return self._twist_until
        return now

    def motion(self, time: float) -> JointMotion:
        """Return the commanded motion of the joints at a time [s], which must not decrease between calls."""
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
        """Return the velocity of the base at a time [s]; 0 after its last command has timed out."""
        return self._twist if time < self._twist_until else TwistCommand(0.0, 0.0, 0.0)

    def _rolling(self, time: float) -> tuple[float, float]:
        twist = self.twist(time)
        return twist.forward, twist.turn

    def hold(self, controller: str, positions: Mapping[str, float], now: float) -> None:
        """Stop the joints of a controller at these positions, by name [rad or m]."""
        names = [name for name in self._groups.get(controller, ()) if name in positions]
        if names:
            here = TrajectoryPoint(HOLD_S, [positions[name] for name in names], [0.0] * len(names))
            self._execution.follow(JointTrajectory.through(names, [here]), now, now)

    def _positions(self, names: Sequence[str], now: float) -> list[float]:
        """Return the commanded positions of joints at a time [s]."""
        at = self._execution.at(now).positions
        return [float(at[self._execution.names.index(name)]) for name in names]

    def _check(self, controller: str, names: Sequence[str]) -> None:
        members = self._groups.get(controller, ())
        for name in names:
            if name not in members:
                raise CommandRefused(
                    f"{controller} has no joint {name}; expected {one_of(name, members)}",
                    Wrong.JOINTS,
                )

    def _grip(self, command: GripCommand, now: float) -> float:
        self._check(command.controller, [command.joint])
        (here,) = self._positions([command.joint], now)
        lasting = max(1.5 * abs(command.position - here) / command.velocity, LEAST_S)
        last = TrajectoryPoint(lasting, [command.position], [0.0])
        self._execution.follow(JointTrajectory.through([command.joint], [last]), now, now)
        return now + lasting

    def _follow(self, command: TrajectoryCommand, now: float, epoch_ns: int) -> float:
        self._check(command.controller, command.trajectory.names)
        begin = _begin(command.stamp_ns, now, epoch_ns)
        if begin + command.trajectory.duration <= now:
            late = now - begin - command.trajectory.duration
            raise CommandRefused(
                f"the trajectory was over {late:.3f} s ago; expected a point that is still to come",
                Wrong.TIME,
            )
        self._execution.follow(command.trajectory, begin, now)
        return begin + command.trajectory.duration


def _begin(stamp_ns: int, now: float, epoch_ns: int) -> float:
    """Return the start of a trajectory [s]; its stamp is this machine's time or simulated time.

    Raises:
        CommandRefused: if the stamp is of neither clock.
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
        " simulated time, or 0 for at once",
        Wrong.TIME,
    )
