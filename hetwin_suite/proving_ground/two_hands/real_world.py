"""What the real world of an episode is simulated with."""

from __future__ import annotations

from dataclasses import dataclass

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.proving_ground.controller import Grip
from hetwin_suite.proving_ground.two_hands.control import STIFF, Compliance
from hetwin_suite.proving_ground.two_hands.reality import Truths


@dataclass(frozen=True, slots=True)
class RealWorld:
    """The real world of an episode.

    Attributes:
        truths: values that differ from the world file.
        grip: how the hand closes.
        gravity_factors: (joints,) factors of the error of the robot's gravity compensation.
        compliance: of the right arm.
    """

    truths: Truths
    grip: Grip
    gravity_factors: Floats
    compliance: Compliance = STIFF
