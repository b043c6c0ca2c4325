"""Axes of mismatch that change the real world while it is recorded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hetwin_bauer2022.mismatch.axis import RealityAxis
from hetwin_bauer2022.mismatch.real_world import RealWorld


class ArmCompliance(RealityAxis):
    """The real arm is more compliant by a factor than drawn for the recording."""

    name = "compliance"
    unit = "factor"
    none = 1.0
    levels = (0.5, 1.0, 2.0, 4.0, 8.0)
    lowest, highest = 0.2, 50.0
    source = "the controller sets the stiffness of an arm; no range was found to compare with"
    summary = "factor of the compliance of the real arm, in addition to the drawn one"

    def change(self, real: RealWorld, level: float, random: np.random.Generator) -> RealWorld:
        """Divide the stiffness of the arm's joints."""
        softness = level * real.compliance.softness
        return replace(real, compliance=replace(real.compliance, softness=softness))


class SoftObject(RealityAxis):
    """The contacts of the real object are softer by a factor."""

    name = "soft_object"
    unit = "factor"
    none = 1.0
    levels = (1.0, 2.0, 4.0, 8.0, 16.0)
    lowest, highest = 0.5, 64.0
    hardware = (0.9, 1.2)
    source = (
        "tennis balls give way by 5.6 to 7.4 mm under 80 N between two plates (International "
        "Tennis Federation, Rules of Tennis, Appendix I), 0.035 to 0.046 mm/N a side; hetwin's "
        "by 0.038; a fingertip sinks in deeper"
    )
    summary = "the contacts of the real object are softer by this factor; at 16, fingers sink in 7 times as deep"

    def change(self, real: RealWorld, level: float, random: np.random.Generator) -> RealWorld:
        """Divide the stiffness of the contacts of object and fingers; damping ratios stay."""
        factor = np.sqrt(level)  # a contact's stiffness is the inverse square of its time constant
        truths = real.truths
        bounce = (float(factor * truths.bounce[0]), truths.bounce[1])
        touch = (float(factor * truths.touch[0]), truths.touch[1])
        return replace(real, truths=replace(truths, bounce=bounce, touch=touch))
