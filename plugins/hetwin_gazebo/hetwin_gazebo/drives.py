"""What the drives of joints are commanded in each of Gazebo's steps, by what they move.

A limited joint is commanded the velocity that its spring and its damper would give it, and the limit of its effort is
what they pull with: less than that is needed in free space, and no more than that holds it back. Where its effort does
not suffice for its weight, it is commanded to sink with what is missing as limit.

Gazebo's joints take a velocity, and reach it within the step if no more than the limit of their effort is needed. A
joint that follows is commanded the velocity that takes it to its target, without a limit. One that is driven by
velocity is commanded that, as fast as it may change. For limited ones see `limited_drives`.
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
"""Share of its effort that a drive may always use, against errors of rounding."""
_SINKING = 100.0
"""Faster than anything falls by its weight in a step [rad/s or m/s]."""


@dataclass(frozen=True, slots=True)
class Aim:
    """Where n limited joints should be after one of Gazebo's steps.

    Attributes:
        seconds: duration of the step.
        away: how far the joints are from there before the step [rad or m].
        pace: velocities with which they should get there [rad/s or m/s].
        change: accelerations of the commanded motion [rad/s^2 or m/s^2].
        carried: efforts that are carried for the joints [Nm or N].
        needed: efforts that the commanded motion needs besides.
    """

    seconds: float
    away: Floats
    pace: Floats
    change: Floats
    carried: Floats
    needed: Floats


class LimitedDrives:
    """The laws of the drives of n joints.

    Args:
        drives: n of them.
        inertias: (n,) that the joints move [kg m^2 or kg].
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
        """Return (n,) the velocities after a step of Gazebo's, integrated implicitly; `velocities` are those before."""
        seconds = aim.seconds
        ahead = self._inertia * (velocities + seconds * aim.change)
        pull = seconds * (self._stiffness * aim.away + self._damping * aim.pace)
        found: Floats = (ahead + pull) / (
            self._inertia + seconds * (self._damping + seconds * self._stiffness)
        )
        found += _SINKING * np.sign(self._lacking(aim))
        return found

    def limits(self, aim: Aim, velocities: Floats) -> tuple[Floats, Floats]:
        """Return (n,) the least and the largest effort for a step of Gazebo's; arguments as of `speeds`."""
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
        """(n,) what the weights exceed the drives' efforts by, in the direction of the weights [Nm or N]."""
        excess = np.maximum(np.abs(aim.carried) - self._effort, 0.0)
        lacking: Floats = -np.sign(aim.carried) * excess
        return lacking

    def efforts(self, aim: Aim, away: Floats, velocities: Floats) -> Floats:
        """Return (n,) efforts in the last step by the drives' law, since Gazebo reports none.

        Args:
            aim: aim of that step.
            away: (n,) how far the joints are from there after it.
            velocities: (n,) after it.
        """
        pull = self._stiffness * away + self._damping * (aim.pace - velocities)
        efforts: Floats = np.clip(pull + aim.needed + aim.carried, -self._effort, self._effort)
        return efforts


class Weights:
    """The efforts of all driven joints, by inverse dynamics of the robots.

    In Gazebo, gravity acts on the links of a robot only if its base is free (see `SdfWriter`); what it would ask of
    the joints of others is carried for them.

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
        """Return (n,) the efforts that are carried for the joints, and those that they need besides [Nm or N].

        Args:
            accelerations: (n,) of the driven joints.
            of_bases: (6,) of each base that follows; see `FeedForward.efforts`.
        """
        if self._forward is None:
            self._forward = self._shadow.feed_forward()
        whole = self._forward.efforts(accelerations, of_bases)
        carried = np.where(self._falling, 0.0, self._forward.weights())
        return carried, whole - carried


_REACHED = 1e-3
"""A velocity drive that is nearer than this to its velocity has reached it [rad/s or m/s]."""


@dataclass(frozen=True, slots=True)
class JointOrders:
    """What the driven joints are commanded for one of Gazebo's steps.

    Attributes:
        speeds: (n,) [rad/s or m/s].
        limits: joint -> its least and largest effort [Nm or N], of those that do not follow.
    """

    speeds: Floats
    limits: dict[int, tuple[float, float]]


class Drives(CopiedPart):
    """The drives of all driven joints.

    Args:
        weights: what they move.
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
        """Return (n,) where the driven joints are expected after one of Gazebo's steps; arguments as of `orders`."""
        target = self._spline.at(share)
        if len(self._loose):
            target = target.copy()
            target[self._loose] = positions[self._loose] + seconds * velocities[self._loose]
        return target

    def orders(
        self, share: float, seconds: float, positions: Floats, velocities: Floats
    ) -> JointOrders:
        """Return what to command for one of Gazebo's steps; called once for each.

        Args:
            share: share of the ensemble's step that is over when Gazebo's is.
            seconds: duration of Gazebo's step.
            positions, velocities: of all joints before it.
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
        """The aim of the limited joints; what moves them is the motion of the commanded positions."""
        pace = (target - self._at) / seconds
        change = (pace - self._pace) / seconds
        self._at, self._pace = target, pace
        carried, needed = self._weights.shares(change, self._bases.accelerations())
        of = self._limited
        return Aim(seconds, away[of], pace[of], change[of], carried[of], needed[of])

    def read_efforts(self, positions: Floats, velocities: Floats, out: Floats) -> None:
        """Write the efforts of joints in the last step [Nm or N]; Gazebo does not report them.

        Those of limited joints are known by their law. One that is driven by velocity and has not reached it has
        exerted its limit; what it has exerted otherwise is not known: NaN, as for joints that follow.

        Args:
            positions, velocities: of all joints after the step.
            out: (n,) of the driven joints.
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
    """A limit that may not be given."""
    return inf if value is None else value
