"""How the joints of a robot are driven, and what moves its base; independent of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hetwin_core.ensemble.scenario.robot import DriveMode


class Base(StrEnum):
    """What moves a robot's root link."""

    FIXED = "fixed"
    """Nothing."""
    FREE = "free"
    """Forces, as any object."""
    FOLLOWED = "followed"
    """A command, whatever it pushes."""


@dataclass(frozen=True, slots=True)
class JointDrive:
    """How one joint takes its command; see `DriveMode`.

    Attributes:
        stiffness: effort per deviation of the position [Nm/rad or N/m]; None: does not count in this mode.
        damping: effort per deviation of the velocity [Nms/rad or Ns/m]; None: the engine's, by the inertia moved.
        effort: the largest effort [Nm or N]; None: there is no limit.
        acceleration: how fast a commanded velocity changes [rad/s^2 or m/s^2]; None: does not count in this mode.
    """

    mode: DriveMode = DriveMode.FOLLOW
    stiffness: float | None = None
    damping: float | None = None
    effort: float | None = None
    acceleration: float | None = None


FOLLOW = JointDrive()
