"""The joints that a scenario allows to be commanded, and their limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import inf

import numpy as np

from hetwin_suite.engine import Body, DriveMode, Joint
from hetwin_suite.model import BadInput, Floats
from hetwin_suite.robot import MoveLimits, differential_drive
from hetwin_suite.source import CommandGroup, Commands, Wheels

_ACCELERATION = 4.0
"""Default acceleration limit, per speed limit [1/s]."""
_JERK = 10.0
"""Jerk limit, per acceleration limit [1/s]."""
_FORWARD, _TURN = 1.0, 1.0
"""Velocity limits of a base, before the scenario's factor `speed` [m/s and rad/s]."""
_RESERVE = 0.92
"""Share of the speed limit that plans use; the rest is a margin for rounding and timing."""


@dataclass(frozen=True, slots=True)
class Group:
    """The joints of one controller.

    Attributes:
        name: name in the scenario.
        controller: name of the controller.
        joints: names of the joints, in the robot's order.
    """

    name: str
    controller: str
    joints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JointSet:
    """All n joints that may be commanded.

    Attributes:
        groups: groups of joints, one for each controller.
        names: (n) names of the joints in the order of the groups.
        lower, upper: (n,) position limits [rad or m]; infinite if there are none.
        speed: (n,) speed limits, the URDF's times the scenario's `speed` [rad/s or m/s].
        acceleration: (n,) acceleration limits of planned moves [rad/s^2 or m/s^2].
        base: topic for velocities of the base; None: it may not be moved.
        base_speed: velocity limits of the base: forward [m/s] and about z [rad/s].
    """

    groups: tuple[Group, ...]
    names: tuple[str, ...]
    lower: Floats
    upper: Floats
    speed: Floats
    acceleration: Floats
    base: str | None = None
    base_speed: tuple[float, float] = (0.0, 0.0)

    @property
    def move_limits(self) -> MoveLimits:
        """The limits of planned moves."""
        return MoveLimits(_RESERVE * self.speed, self.acceleration, _JERK * self.acceleration)


def commanded_joints(commands: Commands, robot: Body, wheels: Wheels | None = None) -> JointSet:
    """Resolve the joints of a scenario's groups, and the base.

    Args:
        commands: commands that the scenario allows.
        robot: description of the robot.
        wheels: wheels of its base.

    Raises:
        BadInput: if a pattern matches no position-controlled joint, a joint is in two groups or lacks a speed limit.
    """
    groups: list[Group] = []
    joints: list[Joint] = []
    speeds: list[float] = []
    accelerations: list[float] = []
    owner: dict[str, str] = {}
    for name, entry in commands.groups.items():
        own: dict[str, Joint] = {}
        for joint, where in _meant(robot, name, entry):
            if owner.setdefault(joint.name, name) != name:
                raise BadInput(
                    "this joint is commanded twice",
                    where=where,
                    found=joint.name,
                    expected=f"joints that are not in {owner[joint.name]}",
                )
            own[joint.name] = joint
            _check_speed(joint, entry, f"commands.groups.{name}")
        ordered = [joint for joint in robot.driven_joints if joint.name in own]
        groups.append(Group(name, entry.controller, tuple(joint.name for joint in ordered)))
        joints += ordered
        own_speeds = [(joint.max_velocity or entry.velocity or 0.0) for joint in ordered]
        speeds += (speed * commands.speed for speed in own_speeds)
        accelerations += (
            entry.acceleration or _ACCELERATION * speed * commands.speed for speed in own_speeds
        )
    limits = [_limits(joint) for joint in joints]
    return JointSet(
        tuple(groups),
        tuple(joint.name for joint in joints),
        np.array([lower for lower, _ in limits], np.float64),
        np.array([upper for _, upper in limits], np.float64),
        np.array(speeds, np.float64),
        np.array(accelerations, np.float64),
        commands.base,
        _base_speed(robot, wheels, commands.speed),
    )


def _base_speed(robot: Body, wheels: Wheels | None, speed: float) -> tuple[float, float]:
    """Return the limits of the wheels, capped at a safe speed among people, times the scenario's speed."""
    forward, turn = _FORWARD, _TURN
    if wheels is not None:
        drive = differential_drive(robot, wheels)
        own = [j.max_velocity for j in robot.joints if j.name in drive.joints and j.max_velocity]
        if own:
            forward = min(forward, min(own) * drive.radius)
            turn = min(turn, 2.0 * forward / drive.separation)
    return forward * speed, turn * speed


def _meant(robot: Body, group: str, entry: CommandGroup) -> Iterator[tuple[Joint, str]]:
    """Yield the joints of a group, each with the key that names it."""
    takes_positions = [
        joint
        for joint in robot.driven_joints
        if joint.mimic is None and joint.drive.mode is not DriveMode.VELOCITY
    ]
    for i, pattern in enumerate(entry.joints):
        where = f"commands.groups.{group}.joints.{i}"
        meant = [joint for joint in takes_positions if fnmatchcase(joint.name, pattern)]
        if not meant:
            known = ", ".join(sorted(joint.name for joint in takes_positions))
            raise BadInput(
                "the robot has no such joint that takes positions",
                where=where,
                found=pattern,
                expected=f"one of {known}, or a pattern",
            )
        for joint in meant:
            yield joint, where


def _check_speed(joint: Joint, entry: CommandGroup, where: str) -> None:
    if joint.max_velocity is None and entry.velocity is None:
        raise BadInput(
            "a commanded joint needs a limit of its speed, and the URDF gives this one none",
            where=f"{where}.velocity",
            found=joint.name,
            expected="velocity: the largest speed, in rad/s or m/s",
        )


def _limits(joint: Joint) -> tuple[float, float]:
    if joint.lower is not None and joint.lower == joint.upper:  # as written if there are none
        return -inf, inf
    lower = -inf if joint.lower is None else joint.lower
    upper = inf if joint.upper is None else joint.upper
    return lower, upper
