"""Computes the commands to the joint drives for each Gazebo step, from the commanded motion and the joints' inertia.

Gazebo's joints take a velocity, and reach it within the step if that needs no more effort than their limit. A joint
in follow mode, which tracks its command regardless of contacts, is commanded the velocity that takes it to its target,
without a limit. A velocity-driven joint is commanded its velocity, with limited acceleration.

A limited joint is commanded the velocity that its spring and damper would give it, with their effort as the limit: in
free space less effort is needed, and an obstacle meets no more than this effort. If its effort does not suffice for its
weight, the joint is commanded to sink, with the missing effort as the limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import copysign, inf, isfinite

import numpy as np

from hetwin_gazebo.bases import Bases
from hetwin_gazebo.shadow import Shadow
from hetwin_suite.engine import (
    Base,
    CopiedPart,
    DriveMode,
    FeedForward,
    InverseDynamics,
    JointDrive,
)
from hetwin_suite.model import Floats


class JointSpline(CopiedPart):
    """The cubic Hermite spline between the last two commands of all driven joints."""

    saved_fields = ("_from", "_to")

    def __init__(self, count: int, period: float) -> None:
        self._period = period
        self._from: tuple[Floats, Floats] = (np.zeros(count), np.zeros(count))
        self._to: tuple[Floats, Floats] = self._from

    def set_state(self, positions: Floats, velocities: Floats) -> None:
        """Set the current state of the joints."""
        self._to = (positions.copy(), velocities.copy())

    def command(self, positions: Floats, velocities: Floats) -> None:
        """Set the commanded state at the end of the next step."""
        self._from = self._to
        self._to = (positions.copy(), velocities.copy())

    def at(self, fraction: float) -> Floats:
        """Return (n,) positions after a fraction of the step."""
        if fraction >= 1.0:
            return self._to[0]
        (a, da), (b, db) = self._from, self._to
        s, r = fraction, 1.0 - fraction
        between: Floats = r * r * ((1 + 2 * s) * a + s * self._period * da) + s * s * (
            (1 + 2 * r) * b - r * self._period * db
        )
        return between


_MIN_EFFORT_RATIO = 0.005
"""Minimum effort of a drive as a share of its limit, to absorb rounding errors."""
_SINK_SPEED = 100.0
"""Velocity greater than gravity can cause in a step [rad/s or m/s]."""


@dataclass(frozen=True, slots=True)
class DriveTargets:
    """Targets of n limited joints after one of Gazebo's steps.

    Attributes:
        seconds: duration of the step [s].
        position_errors: distances to the targets before the step [rad or m].
        target_velocities: velocities towards the targets [rad/s or m/s].
        accelerations: accelerations of the commanded motion [rad/s^2 or m/s^2].
        carried: efforts against gravity that need not be exerted, since Gazebo applies no gravity to robots with a
            fixed base [Nm or N].
        needed: all other efforts that the commanded motion takes [Nm or N].
    """

    seconds: float
    position_errors: Floats
    target_velocities: Floats
    accelerations: Floats
    carried: Floats
    needed: Floats


class LimitedDrives:
    """The control laws of n drives.

    Args:
        drives: the n drives.
        inertias: (n,) inertias that the joints move [kg m^2 or kg].
    """

    def __init__(self, drives: Sequence[JointDrive], inertias: Floats) -> None:
        self._inertia = inertias
        self._stiffness = np.array([drive.stiffness or 0.0 for drive in drives])
        critical = (2.0 * np.sqrt(self._stiffness * inertias)).tolist()
        self._damping = np.array(
            [c if d.damping is None else d.damping for c, d in zip(critical, drives, strict=True)]
        )
        self._effort = np.array([np.inf if d.effort is None else d.effort for d in drives])

    def speeds(self, targets: DriveTargets, velocities: Floats) -> Floats:
        """Return (n,) velocities after one of Gazebo's steps, integrated implicitly from `velocities` before it."""
        seconds = targets.seconds
        momentum = self._inertia * (velocities + seconds * targets.accelerations)
        pull = seconds * (
            self._stiffness * targets.position_errors + self._damping * targets.target_velocities
        )
        speeds: Floats = (momentum + pull) / (
            self._inertia + seconds * (self._damping + seconds * self._stiffness)
        )
        speeds += _SINK_SPEED * np.sign(self._missing_efforts(targets))
        return speeds

    def limits(self, targets: DriveTargets, velocities: Floats) -> tuple[Floats, Floats]:
        """Return (n,) minimum and maximum efforts for one of Gazebo's steps; arguments as in `speeds`."""
        pull = self._stiffness * np.abs(targets.position_errors)
        pull += self._damping * np.abs(targets.target_velocities - velocities)
        pull += np.abs(targets.needed) + _MIN_EFFORT_RATIO * self._effort
        minimum = np.maximum(-pull, np.minimum(-self._effort - targets.carried, 0.0))
        maximum = np.minimum(pull, np.maximum(self._effort - targets.carried, 0.0))
        missing = self._missing_efforts(targets)
        return (
            np.where(missing == 0.0, minimum, np.minimum(missing, 0.0)),
            np.where(missing == 0.0, maximum, np.maximum(missing, 0.0)),
        )

    def _missing_efforts(self, targets: DriveTargets) -> Floats:
        """Return the part of each joint's weight that exceeds its drive's effort limit, (n,), signed [Nm or N]."""
        excess = np.maximum(np.abs(targets.carried) - self._effort, 0.0)
        missing: Floats = -np.sign(targets.carried) * excess
        return missing

    def efforts(self, targets: DriveTargets, position_errors: Floats, velocities: Floats) -> Floats:
        """Return the efforts (n,) of the last step, computed from the control laws, since Gazebo reports none.

        Args:
            targets: targets of that step.
            position_errors: (n,) distances to the targets after it [rad or m].
            velocities: (n,) velocities after it [rad/s or m/s].
        """
        pull = self._stiffness * position_errors + self._damping * (
            targets.target_velocities - velocities
        )
        efforts: Floats = np.clip(
            pull + targets.needed + targets.carried, -self._effort, self._effort
        )
        return efforts


class JointEfforts:
    """Efforts of all driven joints, by inverse dynamics of the robots.

    In Gazebo, gravity acts on a robot's links only if its base is free (see `SdfWriter`). For robots with a fixed base,
    the efforts against gravity are thus carried by the simulation.

    Attributes:
        drives: drives of the driven joints.
    """

    def __init__(self, shadow: Shadow) -> None:
        self._shadow = shadow
        self.drives: tuple[JointDrive, ...] = shadow.tables.drives
        robots = [body for body in shadow.world.bodies if body.robot]
        gravity_acts = [b.base is Base.FREE for b in robots for _ in b.driven_joints]
        self._gravity_acts = np.array(gravity_acts, np.bool_)
        self._inverse: InverseDynamics | None = None
        self._forward: FeedForward | None = None

    def inertias(self) -> Floats:
        """Return the inertia that each driven joint moves, (n,), with all joints at zero [kg m^2 or kg]."""
        return self._shadow.inertias()[: len(self.drives)]

    def efforts(self, positions: Floats, velocities: Floats, accelerations: Floats) -> Floats:
        """Return (n,) efforts [Nm or N]; see `Engine.expected_efforts`."""
        if self._inverse is None:
            self._inverse = InverseDynamics(self._shadow.world)
        poses = {name: state[:7] for name, state in self._shadow.bases.items()}
        return self._inverse.efforts(positions, velocities, accelerations, poses)

    def split_efforts(
        self, accelerations: Floats, base_accelerations: Mapping[str, Floats]
    ) -> tuple[Floats, Floats]:
        """Return the efforts that the simulation carries for the joints, (n,), and the remaining ones, (n,) [Nm or N].

        Args:
            accelerations: (n,) accelerations of the driven joints.
            base_accelerations: followed base -> its acceleration (6,); see `FeedForward.efforts`.
        """
        if self._forward is None:
            self._forward = self._shadow.feed_forward()
        total = self._forward.efforts(accelerations, base_accelerations)
        carried = np.where(self._gravity_acts, 0.0, self._forward.weights())
        return carried, total - carried


_SPEED_TOLERANCE = 1e-3
"""Tolerance within which a velocity drive has reached its velocity [rad/s or m/s]."""


@dataclass(frozen=True, slots=True)
class JointCommands:
    """Commands to the driven joints for one of Gazebo's steps.

    Attributes:
        speeds: (n,) commanded velocities [rad/s or m/s].
        limits: joint -> minimum and maximum effort [Nm or N], for joints that are not in follow mode.
    """

    speeds: Floats
    limits: dict[int, tuple[float, float]]


class Drives(CopiedPart):
    """The drives of all driven joints.

    Args:
        joint_efforts: computes the efforts of the joints.
        bases: bases of the robots.
        period: duration of the ensemble's step [s].
    """

    saved_fields = (
        "_spline",
        "_speed",
        "_commanded_speed",
        "_last_target",
        "_last_velocity",
        "_targets",
    )

    def __init__(self, joint_efforts: JointEfforts, bases: Bases, period: float) -> None:
        drives = joint_efforts.drives
        self._joint_efforts, self._bases = joint_efforts, bases
        self._spline = JointSpline(len(drives), period)
        modes = [drive.mode for drive in drives]
        self._velocity_driven = np.flatnonzero([mode is DriveMode.VELOCITY for mode in modes])
        self._limited = np.flatnonzero([mode is DriveMode.LIMITED for mode in modes])
        self._not_following = np.concatenate([self._velocity_driven, self._limited])
        velocity_driven = self._velocity_driven.tolist()
        self._max_accelerations = np.array(
            [_or_infinite(drives[i].acceleration) for i in velocity_driven]
        )
        self._max_efforts = {i: _or_infinite(drives[i].effort) for i in velocity_driven}
        self._speed, self._commanded_speed = (
            np.zeros(len(velocity_driven)),
            np.zeros(len(velocity_driven)),
        )
        limited = [drives[i] for i in self._limited.tolist()]
        self._limited_drives = LimitedDrives(limited, joint_efforts.inertias()[self._limited])
        self._last_target, self._last_velocity = np.zeros(len(drives)), np.zeros(len(drives))
        self._targets: DriveTargets | None = None

    @property
    def all_follow(self) -> bool:
        """Whether all joints track their command, regardless of contacts."""
        return not len(self._not_following)

    def set_state(self, positions: Floats, velocities: Floats) -> None:
        """Set the current state of the driven joints."""
        self._spline.set_state(positions, velocities)
        self._speed = self._commanded_speed = velocities[self._velocity_driven]
        self._last_target, self._last_velocity = positions.copy(), velocities.copy()
        self._targets = None

    def command(self, positions: Floats, velocities: Floats) -> None:
        """Set the commanded state at the end of the next step."""
        self._spline.command(positions, velocities)
        self._commanded_speed = velocities[self._velocity_driven]

    def target(
        self, fraction: float, seconds: float, positions: Floats, velocities: Floats
    ) -> Floats:
        """Return expected positions (n,) of the driven joints after one of Gazebo's steps; see `commands`."""
        target = self._spline.at(fraction)
        if len(self._not_following):
            target = target.copy()
            target[self._not_following] = (
                positions[self._not_following] + seconds * velocities[self._not_following]
            )
        return target

    def commands(
        self, fraction: float, seconds: float, positions: Floats, velocities: Floats
    ) -> JointCommands:
        """Return the commands for one of Gazebo's steps; called once for each.

        Args:
            fraction: fraction of the ensemble's step at the end of Gazebo's step.
            seconds: duration of Gazebo's step [s].
            positions, velocities: state of all joints before it.
        """
        target = self._spline.at(fraction)
        position_errors = target - positions[: len(target)]
        speeds: Floats = position_errors / seconds
        limits: dict[int, tuple[float, float]] = {
            i: (-maximum, maximum) for i, maximum in self._max_efforts.items()
        }
        if len(self._velocity_driven):
            max_changes = self._max_accelerations * seconds
            self._speed = self._speed + np.clip(
                self._commanded_speed - self._speed, -max_changes, max_changes
            )
            speeds[self._velocity_driven] = self._speed
        if len(self._limited):
            targets = self._targets = self._limited_targets(target, seconds, position_errors)
            actual = velocities[self._limited]
            speeds[self._limited] = self._limited_drives.speeds(targets, actual)
            minimum, maximum = self._limited_drives.limits(targets, actual)
            ranges = zip(minimum.tolist(), maximum.tolist(), strict=True)
            limits.update(zip(self._limited.tolist(), ranges, strict=True))
        return JointCommands(speeds, limits)

    def _limited_targets(
        self, target: Floats, seconds: float, position_errors: Floats
    ) -> DriveTargets:
        """Return the targets of the limited joints, derived from the commanded positions."""
        velocity = (target - self._last_target) / seconds
        acceleration = (velocity - self._last_velocity) / seconds
        self._last_target, self._last_velocity = target, velocity
        carried, needed = self._joint_efforts.split_efforts(
            acceleration, self._bases.accelerations()
        )
        limited = self._limited
        return DriveTargets(
            seconds,
            position_errors[limited],
            velocity[limited],
            acceleration[limited],
            carried[limited],
            needed[limited],
        )

    def read_efforts(self, positions: Floats, velocities: Floats, out: Floats) -> None:
        """Write the efforts of joints in the last step [Nm or N], since Gazebo does not report them.

        Efforts of limited joints follow from their control law. A velocity-driven joint that has not reached its
        velocity has exerted its maximum effort. All other efforts are unknown: NaN.

        Args:
            positions, velocities: state of all joints after the step.
            out: (n,) output for the driven joints.
        """
        out[:] = np.nan
        speed_errors = self._speed - velocities[self._velocity_driven]
        for (i, max_effort), speed_error in zip(
            self._max_efforts.items(), speed_errors.tolist(), strict=True
        ):
            if abs(speed_error) > _SPEED_TOLERANCE and isfinite(max_effort):
                out[i] = copysign(max_effort, speed_error)
        if self._targets is not None:
            position_errors = self._last_target - positions[: len(out)]
            actual = velocities[self._limited]
            out[self._limited] = self._limited_drives.efforts(
                self._targets, position_errors[self._limited], actual
            )


def _or_infinite(value: float | None) -> float:
    """Return a limit, infinite if not given."""
    return inf if value is None else value
