"""How MuJoCo solves contacts: settings with which grasps hold, and MuJoCo's defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco as mj


@dataclass(frozen=True, slots=True)
class ContactSettings:
    """Settings of contacts; MuJoCo's documentation of options and geoms explains each.

    Attributes:
        cone: shape of the friction cone.
        impratio: ratio of the impedance of friction to that of the normal force.
        noslip_iterations: iterations of the no-slip solver.
        condim: 3 for sliding friction, 4 for torsional friction too.
        solimp: first three numbers of the impedance.
        time_constant: of contacts [s]; None: as short as the step allows.
    """

    cone: Any
    impratio: float
    noslip_iterations: int
    condim: int
    solimp: tuple[float, float, float]
    time_constant: float | None


CONTACTS = {
    "manipulation": ContactSettings(
        mj.mjtCone.mjCONE_ELLIPTIC, 10.0, 3, 4, (0.95, 0.99, 0.001), None
    ),
    "plain": ContactSettings(mj.mjtCone.mjCONE_PYRAMIDAL, 1.0, 0, 3, (0.9, 0.95, 0.001), 0.02),
}
"""`manipulation` is hetwin's default; `plain` has MuJoCo's defaults."""
