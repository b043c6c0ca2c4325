"""The commands to Gazebo before each of its steps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_gazebo.bindings import gazebo
from hetwin_gazebo.drives import JointCommands
from hetwin_gazebo.lockstep import LockStep
from hetwin_gazebo.parts import BallJoints
from hetwin_gazebo.proxies.proxy import Proxy
from hetwin_gazebo.proxies.selection import ProxyKind
from hetwin_suite.model import Floats

MIN_SPEED = 1e-9
"""Commanded speed below which a joint gets no command, so that Gazebo brakes it [rad/s or m/s]."""


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands for joints and objects.

    Attributes:
        seconds: duration of the step.
        joint_commands: commands to the driven joints.
        positions, velocities: state of all joints before the step, the driven ones first.
        reset: whether to set the joints to this state first.
        locked: indices of the passive joints that are locked.
        active: object -> kind of its active proxy.
        placed: object or base -> (13,) pose and twist to set first.
        start_poses, end_poses: object or base -> (13,) prescribed pose and twist before and after the step.
        picture_poses: object with a picture -> (13,) current pose and twist; only in the first step of a period.
        period: duration of the ensemble's step [s].
        wrenches: object -> (6,) force [N] and torque [Nm] in the world's axes.
        balls: state of the ball joints before the step.
    """

    seconds: float
    joint_commands: JointCommands
    positions: Floats
    velocities: Floats
    reset: bool
    locked: Collection[int]
    active: Mapping[str, ProxyKind | None]
    placed: Mapping[str, Floats]
    start_poses: Mapping[str, Floats]
    end_poses: Mapping[str, Floats]
    wrenches: Mapping[str, Floats]
    balls: BallJoints
    picture_poses: Mapping[str, Floats]
    period: float

    def apply(self, ecm: Any, simulation: LockStep) -> None:
        """Apply the commands to Gazebo's entities."""
        self._joints(ecm, simulation.joints)
        if self.reset:
            self.balls.reset(ecm, simulation.balls)
        for (name, kind), proxy in simulation.proxies.items():
            if kind is self.active[name]:
                self._object(ecm, name, kind, proxy)
            else:
                proxy.park(ecm)
        for name, base in simulation.bases.items():
            self._moved(ecm, name, base, led=name in self.end_poses)
        for name, pose in self.picture_poses.items():
            simulation.pictures[name].follow(ecm, pose, self.period, self.seconds)

    def _joints(self, ecm: Any, joints: Sequence[Any]) -> None:
        limits = self.joint_commands.limits
        for i, speed in enumerate(self.joint_commands.speeds.tolist()):
            # Without a command, Gazebo's joint brakes; a joint whose speed is reset gets no effort in that step.
            resets = self.reset and i in limits
            if not resets and (self.reset or abs(speed) > MIN_SPEED):
                joints[i].set_velocity(ecm, [speed])
        vector = gazebo().math.Vector2d
        for i, ends in limits.items():
            joints[i].set_effort_limits(ecm, [vector(*((0.0, 0.0) if self.reset else ends))])
        if self.reset:
            self._reset(ecm, joints)

    def _reset(self, ecm: Any, joints: Sequence[Any]) -> None:
        positions, velocities = self.positions.tolist(), self.velocities.tolist()
        for i, joint in enumerate(joints):
            joint.reset_position(ecm, [positions[i]])
            if i in self.locked:
                joint.set_velocity(ecm, [0.0])  # makes Gazebo brake it from now on
            elif i >= len(self.joint_commands.speeds) or i in self.joint_commands.limits:
                joint.reset_velocity(ecm, [velocities[i]])

    def _object(self, ecm: Any, name: str, kind: ProxyKind, proxy: Proxy) -> None:
        self._moved(ecm, name, proxy, led=kind is ProxyKind.KINEMATIC)
        if name in self.wrenches and kind is not ProxyKind.KINEMATIC:
            proxy.push(ecm, self.wrenches[name])

    def _moved(self, ecm: Any, name: str, proxy: Proxy, *, led: bool) -> None:
        proxy.settle(ecm)
        if led:
            move = proxy.start if name in self.placed else proxy.drive
            move(ecm, self.start_poses[name], self.end_poses[name], self.seconds)
        elif name in self.placed:
            proxy.place(ecm, self.placed[name])


def poses_to_set(
    placed: dict[str, Floats], swapped: Collection[str], poses: Mapping[str, Floats]
) -> dict[str, Floats]:
    """Return the poses to set: those of placed objects, and the current ones of objects whose proxy changes."""
    return {**{name: poses[name] for name in swapped}, **placed}
