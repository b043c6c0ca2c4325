"""Trajectories through the waypoints of a file, within the limits of a robot's URDF."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_calibration.methods import Profile
from hetwin_calibration.robot.legs import Samples, legs_between, sampled
from hetwin_suite.command import BadInput, perhaps
from hetwin_suite.engine import JointKind
from hetwin_suite.model import Floats
from hetwin_suite.robot import MoveLimits, RobotFile
from hetwin_suite.tables import NumberTable as Table
from hetwin_suite.tables import read_table

_ON_LIMIT = 1e-9
"""Tolerance of limits for rounding errors [rad or m]."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Limits of a motion, and its sampling rate.

    Attributes:
        speed: velocity limit, as a multiple of the URDF's limits.
        acceleration: limit of the acceleration [rad/s^2 or m/s^2].
        jerk: limit of the jerk [rad/s^3 or m/s^3].
        rate: samples per second.
    """

    speed: float = 1.0
    acceleration: float = 5.0
    jerk: float = 100.0
    rate: float = 100.0


@dataclass(frozen=True, slots=True)
class Motion:
    """A motion of n joints."""

    joints: tuple[str, ...]
    samples: Samples

    @property
    def duration(self) -> float:
        """Duration of the motion [s]."""
        return float(self.samples.times[-1])

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `hetwin urdf trajectory --json`."""
        return {
            "joints": list(self.joints),
            **{key: value.tolist() for key, value in self.samples._asdict().items()},
            "duration": self.duration,
        }


def plan_motion(robot: RobotFile, waypoints: Path, profile: Profile, pace: Pace) -> Motion:
    """Return the motion through a file's waypoints, at rest at each of them.

    Raises:
        BadInput: if the file is invalid, a waypoint is beyond a limit, or the URDF lacks a velocity limit.
    """
    table = read_table(waypoints)
    joints = table.columns
    _check_joints(robot, table)
    if len(table.rows) < 2:
        raise BadInput(
            "there are too few waypoints", file=waypoints, found="1 row", expected="2 at least"
        )
    points = table.numbers(joints)
    _check_limits(robot, table, points)
    count = len(joints)
    limits = MoveLimits(
        np.array([pace.speed * _velocity(robot, name) for name in joints]),
        np.full(count, pace.acceleration),
        np.full(count, pace.jerk),
    )
    legs = legs_between(points, limits, fastest=profile is Profile.TIME_OPTIMAL)
    return Motion(joints, sampled(points, legs, pace.rate))


def _check_joints(robot: RobotFile, table: Table) -> None:
    moving = [
        name
        for name, entry in robot.joints.items()
        if entry.joint.kind is not JointKind.FIXED and entry.joint.mimic is None
    ]
    for name in table.columns:
        if name not in moving:
            raise table.header_error(
                "the robot has no such joint that moves by itself",
                name,
                f"joints of {robot.file.name}{perhaps(name, moving)}",
            )


def _check_limits(robot: RobotFile, table: Table, points: Floats) -> None:
    for i, name in enumerate(table.columns):
        lower, upper = robot.limits(name)
        for row in np.flatnonzero(
            (points[:, i] < lower - _ON_LIMIT) | (points[:, i] > upper + _ON_LIMIT)
        ):
            found = float(points[row, i])
            raise table.bad(
                f"{name} is beyond its limits", int(row), found, f"{lower:g} to {upper:g}"
            )


def _velocity(robot: RobotFile, name: str) -> float:
    entry = robot.joints[name]
    if entry.joint.max_velocity is None:
        raise (entry.element.child("limit") or entry.element).bad(
            f"joint {name} has no limit of its velocity",
            expected='<limit velocity="..." .../> above 0',
        )
    return entry.joint.max_velocity
