"""Drives that pull towards their command with a limited effort.

A limited joint is commanded the velocity that its spring and its damper would give it, and the limit of its effort is
what they pull with: less than that is needed in free space, and no more than that holds it back. Where its effort does
not suffice for its weight, it is commanded to sink with what is missing as limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.world.drives import JointDrive

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
            aim: of that step.
            away: (n,) how far the joints are from there after it.
            velocities: (n,) after it.
        """
        pull = self._stiffness * away + self._damping * (aim.pace - velocities)
        efforts: Floats = np.clip(pull + aim.needed + aim.carried, -self._effort, self._effort)
        return efforts
