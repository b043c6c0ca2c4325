"""Commands to the drives of joints for each of Gazebo's steps, from the motion and the inertia.

Gazebo's joints take a velocity, and reach it within the step if that needs no more effort than their limit. A joint
that follows is commanded the velocity that takes it to its target, without a limit. A velocity-driven joint is
commanded its velocity, with limited acceleration.

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

    def at(self, share: float) -> Floats:
        """Return (n,) positions after a fraction of the step."""
        if share >= 1.0:
            return self._to[0]
        (a, da), (b, db) = self._from, self._to
        s, r = share, 1.0 - share
        between: Floats = r * r * ((1 + 2 * s) * a + s * self._period * da) + s * s * (
            (1 + 2 * r) * b - r * self._period * db
        )
        return between


_LEAST_SHARE = 0.005
"""Minimum effort of a drive as a share of its limit, to absorb rounding errors."""
_SINKING = 100.0
"""Velocity that exceeds any fall by weight in a step [rad/s or m/s]."""


@dataclass(frozen=True, slots=True)
class Aim:
    """Targets of n limited joints after one of Gazebo's steps.

    Attributes:
        seconds: duration of the step [s].
        away: distances to the targets before the step [rad or m].
        pace: velocities towards the targets [rad/s or m/s].
        change: accelerations of the commanded motion [rad/s^2 or m/s^2].
        carried: efforts that the simulation carries for the joints [Nm or N].
        needed: further efforts of the commanded motion [Nm or N].
    """

    seconds: float
    away: Floats
    pace: Floats
    change: Floats
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

    def speeds(self, aim: Aim, velocities: Floats) -> Floats:
        """Return (n,) velocities after one of Gazebo's steps, integrated implicitly from `velocities` before it."""
        seconds = aim.seconds
        ahead = self._inertia * (velocities + seconds * aim.change)
        pull = seconds * (self._stiffness * aim.away + self._damping * aim.pace)
        found: Floats = (ahead + pull) / (
            self._inertia + seconds * (self._damping + seconds * self._stiffness)
        )
        found += _SINKING * np.sign(self._lacking(aim))
        return found

    def limits(self, aim: Aim, velocities: Floats) -> tuple[Floats, Floats]:
        """Return (n,) minimum and maximum efforts for one of Gazebo's steps; arguments as in `speeds`."""
        pull = self._stiffness * np.abs(aim.away)
        pull += self._damping * np.abs(aim.pace - velocities)
        pull += np.abs(aim.needed) + _LEAST_SHARE * self._effort
        least = np.maximum(-pull, np.minimum(-self._effort - aim.carried, 0.0))
        most = np.minimum(pull, np.maximum(self._effort - aim.carried, 0.0))
        lacking = self._lacking(aim)
        return (
            np.where(lacking == 0.0, least, np.minimum(lacking, 0.0)),
            np.where(lacking == 0.0, most, np.maximum(lacking, 0.0)),
        )

    def _lacking(self, aim: Aim) -> Floats:
        """Return (n,) the effort that drives lack to hold their weight, in the direction of the weight [Nm or N]."""
        excess = np.maximum(np.abs(aim.carried) - self._effort, 0.0)
        lacking: Floats = -np.sign(aim.carried) * excess
        return lacking

    def efforts(self, aim: Aim, away: Floats, velocities: Floats) -> Floats:
        """Return (n,) efforts in the last step from the drives' law, since Gazebo reports none.

        Args:
            aim: targets of that step.
            away: (n,) distances to the targets after it [rad or m].
            velocities: (n,) velocities after it [rad/s or m/s].
        """
        pull = self._stiffness * away + self._damping * (aim.pace - velocities)
        efforts: Floats = np.clip(pull + aim.needed + aim.carried, -self._effort, self._effort)
        return efforts


class Weights:
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
        falling = [b.base is Base.FREE for b in robots for _ in b.driven_joints]
        self._falling = np.array(falling, np.bool_)
        self._inverse: InverseDynamics | None = None
        self._forward: FeedForward | None = None

    def inertias(self) -> Floats:
        """Return (n,) the inertia that each driven joint moves, with all joints at zero [kg m^2 or kg]."""
        return self._shadow.inertias()[: len(self.drives)]

    def efforts(self, positions: Floats, velocities: Floats, accelerations: Floats) -> Floats:
        """Return (n,) efforts [Nm or N]; see `Engine.expected_efforts`."""
        if self._inverse is None:
            self._inverse = InverseDynamics(self._shadow.world)
        poses = {name: state[:7] for name, state in self._shadow.bases.items()}
        return self._inverse.efforts(positions, velocities, accelerations, poses)

    def shares(
        self, accelerations: Floats, of_bases: Mapping[str, Floats]
    ) -> tuple[Floats, Floats]:
        """Return (n,) the efforts that the simulation carries for the joints, and their further efforts [Nm or N].

        Args:
            accelerations: (n,) accelerations of the driven joints.
            of_bases: base that follows -> (6,) its acceleration; see `FeedForward.efforts`.
        """
        if self._forward is None:
            self._forward = self._shadow.feed_forward()
        whole = self._forward.efforts(accelerations, of_bases)
        carried = np.where(self._falling, 0.0, self._forward.weights())
        return carried, whole - carried


_REACHED = 1e-3
"""Tolerance within which a velocity drive has reached its velocity [rad/s or m/s]."""


@dataclass(frozen=True, slots=True)
class JointOrders:
    """Commands to the driven joints for one of Gazebo's steps.

    Attributes:
        speeds: (n,) commanded velocities [rad/s or m/s].
        limits: joint -> minimum and maximum effort [Nm or N], for joints that do not follow.
    """

    speeds: Floats
    limits: dict[int, tuple[float, float]]


class Drives(CopiedPart):
    """The drives of all driven joints.

    Args:
        weights: computes the efforts of the joints.
        bases: bases of the robots.
        period: duration of the ensemble's step [s].
    """

    saved_fields = ("_spline", "_speed", "_wanted", "_at", "_pace", "_aim")

    def __init__(self, weights: Weights, bases: Bases, period: float) -> None:
        drives = weights.drives
        self._weights, self._bases = weights, bases
        self._spline = JointSpline(len(drives), period)
        modes = [drive.mode for drive in drives]
        self._turning = np.flatnonzero([mode is DriveMode.VELOCITY for mode in modes])
        self._limited = np.flatnonzero([mode is DriveMode.LIMITED for mode in modes])
        self._loose = np.concatenate([self._turning, self._limited])
        turning = self._turning.tolist()
        self._change = np.array([_limit(drives[i].acceleration) for i in turning])
        self._most = {i: _limit(drives[i].effort) for i in turning}
        self._speed, self._wanted = np.zeros(len(turning)), np.zeros(len(turning))
        limited = [drives[i] for i in self._limited.tolist()]
        self._pulling = LimitedDrives(limited, weights.inertias()[self._limited])
        self._at, self._pace = np.zeros(len(drives)), np.zeros(len(drives))
        self._aim: Aim | None = None

    @property
    def all_follow(self) -> bool:
        """Whether all joints track their command, whatever they push."""
        return not len(self._loose)

    def set_state(self, positions: Floats, velocities: Floats) -> None:
        """Set the current state of the driven joints."""
        self._spline.set_state(positions, velocities)
        self._speed = self._wanted = velocities[self._turning]
        self._at, self._pace = positions.copy(), velocities.copy()
        self._aim = None

    def command(self, positions: Floats, velocities: Floats) -> None:
        """Set the commanded state at the end of the next step."""
        self._spline.command(positions, velocities)
        self._wanted = velocities[self._turning]

    def target(self, share: float, seconds: float, positions: Floats, velocities: Floats) -> Floats:
        """Return (n,) expected positions of the driven joints after one of Gazebo's steps; arguments as in `orders`."""
        target = self._spline.at(share)
        if len(self._loose):
            target = target.copy()
            target[self._loose] = positions[self._loose] + seconds * velocities[self._loose]
        return target

    def orders(
        self, share: float, seconds: float, positions: Floats, velocities: Floats
    ) -> JointOrders:
        """Return the commands for one of Gazebo's steps; called once for each.

        Args:
            share: fraction of the ensemble's step at the end of Gazebo's step.
            seconds: duration of Gazebo's step [s].
            positions, velocities: state of all joints before it.
        """
        target = self._spline.at(share)
        away = target - positions[: len(target)]
        speeds: Floats = away / seconds
        limits: dict[int, tuple[float, float]] = {
            i: (-most, most) for i, most in self._most.items()
        }
        if len(self._turning):
            change = self._change * seconds
            self._speed = self._speed + np.clip(self._wanted - self._speed, -change, change)
            speeds[self._turning] = self._speed
        if len(self._limited):
            aim = self._aim = self._aimed(target, seconds, away)
            moving = velocities[self._limited]
            speeds[self._limited] = self._pulling.speeds(aim, moving)
            least, most = self._pulling.limits(aim, moving)
            ends = zip(least.tolist(), most.tolist(), strict=True)
            limits.update(zip(self._limited.tolist(), ends, strict=True))
        return JointOrders(speeds, limits)

    def _aimed(self, target: Floats, seconds: float, away: Floats) -> Aim:
        """Return the targets of the limited joints, which follow the motion of the commanded positions."""
        pace = (target - self._at) / seconds
        change = (pace - self._pace) / seconds
        self._at, self._pace = target, pace
        carried, needed = self._weights.shares(change, self._bases.accelerations())
        of = self._limited
        return Aim(seconds, away[of], pace[of], change[of], carried[of], needed[of])

    def read_efforts(self, positions: Floats, velocities: Floats, out: Floats) -> None:
        """Write the efforts of joints in the last step [Nm or N], since Gazebo does not report them.

        Efforts of limited joints follow from their law. A velocity-driven joint that has not reached its velocity has
        exerted
        its limit. All other efforts are unknown: NaN.

        Args:
            positions, velocities: state of all joints after the step.
            out: (n,) output for the driven joints.
        """
        out[:] = np.nan
        slower = self._speed - velocities[self._turning]
        for (i, most), behind in zip(self._most.items(), slower.tolist(), strict=True):
            if abs(behind) > _REACHED and isfinite(most):
                out[i] = copysign(most, behind)
        if self._aim is not None:
            away = self._at - positions[: len(out)]
            moving = velocities[self._limited]
            out[self._limited] = self._pulling.efforts(self._aim, away[self._limited], moving)


def _limit(value: float | None) -> float:
    """Return a limit, infinite if not given."""
    return inf if value is None else value
