"""Drives that pull towards their command with a limited effort.

A limited joint is commanded the velocity that its spring and its damper would give it, and the limit of its effort is
what they pull with: less than that is needed in free space, and no more than that holds it back. Where its effort does
not suffice for its weight, it is commanded to sink with what is missing as limit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.world.drives import JointDrive

_LEAST_SHARE = 0.005
"""Share of its effort that a drive may always use, against errors of rounding."""
_SINKING = 100.0
"""Faster than anything falls by its weight in a step [rad/s or m/s]."""


class LimitedDrives:
    """The drives of some joints.

    Args:
        drives: n of them.
        inertias: (n,) that the joints move [kg m^2 or kg].
    """

    def __init__(self, drives: Sequence[JointDrive], inertias: Floats) -> None:
        self._inertia = inertias
        self._stiffness = np.array([drive.stiffness or 0.0 for drive in drives])
        critical = (2.0 * np.sqrt(self._stiffness * inertias)).tolist()
        damping = [
            c if d.damping is None else d.damping for c, d in zip(critical, drives, strict=True)
        ]
        self._damping = np.array(damping)
        self._effort = np.array([np.inf if d.effort is None else d.effort for d in drives])
        self._ends = np.zeros((2, len(drives)))
        self._acceleration = np.zeros(len(drives))
        self._carried, self._needed = np.zeros(len(drives)), np.zeros(len(drives))

    def begin(self, velocities: Floats) -> None:
        """Set the current velocities."""
        self._ends = np.array([velocities, velocities])
        self._acceleration = np.zeros(len(velocities))

    def command(self, velocities: Floats, accelerations: Floats) -> None:
        """Set the commanded motion at the end of the next step."""
        self._ends = np.array([self._ends[1], velocities])
        self._acceleration = accelerations

    def weigh(self, carried: Floats, needed: Floats) -> None:
        """Set the efforts that are carried for the joints, and those that the commanded motion needs besides."""
        self._carried, self._needed = carried, needed

    def speeds(self, share: float, seconds: float, away: Floats, velocities: Floats) -> Floats:
        """Return (n,) the velocities after a step of Gazebo's, integrated implicitly.

        Args:
            share: of the ensemble's step that is over then.
            seconds: duration of Gazebo's step.
            away: (n,) how far the joints are before it from where they should be after it [rad or m].
            velocities: (n,) before it.
        """
        ahead = self._inertia * (velocities + seconds * self._acceleration)
        pull = seconds * (self._stiffness * away + self._damping * self._pace(share))
        found: Floats = (ahead + pull) / (
            self._inertia + seconds * (self._damping + seconds * self._stiffness)
        )
        found += _SINKING * np.sign(self._lacking)
        return found

    @property
    def _lacking(self) -> Floats:
        """(n,) the efforts that the weights exceed those of the drives by [Nm or N]: negative where a joint sinks."""
        carried = self._carried
        lacking: Floats = -np.sign(carried) * np.maximum(np.abs(carried) - self._effort, 0.0)
        return lacking

    def limits(self, share: float, away: Floats, velocities: Floats) -> tuple[Floats, Floats]:
        """Return (n,) the least and the largest effort for a step of Gazebo's; arguments as of `speeds`."""
        slower = self._pace(share) - velocities
        pull = self._stiffness * np.abs(away) + self._damping * np.abs(slower)
        pull += np.abs(self._needed) + _LEAST_SHARE * self._effort
        least = np.maximum(-pull, np.minimum(-self._effort - self._carried, 0.0))
        most = np.minimum(pull, np.maximum(self._effort - self._carried, 0.0))
        lacking = self._lacking
        return (
            np.where(lacking == 0.0, least, np.minimum(lacking, 0.0)),
            np.where(lacking == 0.0, most, np.maximum(lacking, 0.0)),
        )

    def efforts(self, away: Floats, velocities: Floats) -> Floats:
        """Return (n,) efforts in the last step by the drives' law, since Gazebo reports none; arguments after it."""
        pull = self._stiffness * away + self._damping * (self._ends[1] - velocities)
        efforts: Floats = np.clip(pull + self._needed + self._carried, -self._effort, self._effort)
        return efforts

    def _pace(self, share: float) -> Floats:
        """The commanded velocities after a fraction of the step."""
        before, after = self._ends
        pace: Floats = before + share * (after - before)
        return pace

    def save(self) -> object:
        """Return the state for `restore`."""
        return self._ends, self._acceleration, self._carried, self._needed

    def restore(self, state: object) -> None:
        """Restore a saved state."""
        assert isinstance(state, tuple)
        self._ends, self._acceleration, self._carried, self._needed = state
