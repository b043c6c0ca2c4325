"""What the drives of joints are commanded in each of Gazebo's steps.

Gazebo's joints take a velocity, and reach it within the step if no more than the limit of their effort is needed. A
joint that follows is commanded the velocity that takes it to its target, without a limit. One that is driven by
velocity is commanded that, as fast as it may change. For limited ones see `limited_drives`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf, isfinite

import numpy as np

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.copied import Copied
from model_nodes.main_physics.engines.gz.bases import Bases
from model_nodes.main_physics.engines.gz.joint_spline import JointSpline
from model_nodes.main_physics.engines.gz.limited_drives import Aim, LimitedDrives
from model_nodes.main_physics.engines.gz.weights import Weights

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


class Drives(Copied):
    """The drives of all driven joints.

    Args:
        weights: what they move.
        bases: of the robots.
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
            share: of the ensemble's step that is over when Gazebo's is.
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
