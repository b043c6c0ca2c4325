"""An arm that gives way more or less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hetwin_suite._mismatch.axis import RealityAxis
from hetwin_suite._mismatch.real_world import RealWorld


class ArmCompliance(RealityAxis):
    """The real arm is softer by a factor than it is otherwise recorded with."""

    name = "compliance"
    unit = "factor"
    none = 1.0
    levels = (0.5, 1.0, 2.0, 4.0, 8.0)
    lowest, highest = 0.2, 50.0
    source = "the controller sets the stiffness of an arm; no range was found to compare with"
    summary = "the real arm is softer by this factor, on top of what is drawn"

    def change(self, real: RealWorld, level: float, random: np.random.Generator) -> RealWorld:
        """Divide the stiffness of the arm's joints."""
        softness = level * real.compliance.softness
        return replace(real, compliance=replace(real.compliance, softness=softness))
