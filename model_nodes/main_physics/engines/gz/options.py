"""Gazebo's options that a scenario may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from hetwin_core.ensemble.errors import BadInput

_CHOICES = {
    "physics": ("dartsim", "bullet-featherstone"),
    "collision_detector": ("ode", "bullet", "fcl", "dart"),
    "solver": ("dantzig", "pgs"),
}


@dataclass(frozen=True, slots=True)
class GazeboOptions:
    """What Gazebo is told beside the world.

    Attributes:
        physics: Gazebo's own physics engine.
        collision_detector: of DART.
        solver: of DART.
        max_step: Gazebo's steps are this long at most [s]; a step of the ensemble is divided accordingly.
    """

    physics: str = "dartsim"
    collision_detector: str = "ode"
    solver: str = "dantzig"
    max_step: float = 0.00125

    def steps(self, period: float, substeps: int) -> int:
        """Into how many equal steps of whole nanoseconds a period is divided."""
        nanoseconds = round(period * 1e9)
        count = substeps * max(1, ceil(nanoseconds * 1e-9 / substeps / self.max_step - 1e-6))
        while nanoseconds % count and count < nanoseconds:
            count += 1
        return count


def read_options(given: Mapping[str, Any]) -> GazeboOptions:
    """Check the options of a scenario.

    Raises:
        BadInput: if there is no such option, or the value is none.
    """
    for name, value in given.items():
        where = f"options.{name}"
        if name in _CHOICES:
            if value not in _CHOICES[name]:
                expected = ", ".join(_CHOICES[name])
                raise BadInput("is no such choice", where=where, found=value, expected=expected)
        elif name == "max_step":
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise BadInput("is no time", where=where, found=value, expected="seconds above 0")
        else:
            known = ", ".join([*_CHOICES, "max_step"])
            raise BadInput("is no option of Gazebo here", where=where, found=name, expected=known)
    return GazeboOptions(**given)
