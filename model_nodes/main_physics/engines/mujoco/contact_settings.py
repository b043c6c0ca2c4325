"""How MuJoCo solves contacts: settings under which a hand holds what it grasps, and MuJoCo's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco as mj


@dataclass(frozen=True, slots=True)
class ContactSettings:
    """What concerns contacts; MuJoCo's documentation of options and geoms explains each.

    Attributes:
        cone: shape of the friction cone.
        impratio: stiffness of friction against that of the normal force.
        noslip_iterations: iterations of the solver that takes slip away.
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
"""`manipulation` is hetwin's default; `plain` is what MuJoCo does when nothing is set."""
