"""The parameters of an episode's real world."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from hetwin_stand_ins.motion import Grip
from hetwin_suite.model import Floats

_RUBBER_CONTACT = (0.004, 1.0)
"""Time constant [s] and damping ratio of contacts of finger tips."""


@dataclass(frozen=True, slots=True)
class TrueValues:
    """The true values that differ from the world file.

    Attributes:
        poses: model -> true x y z, qw qx qy qz; others are as in the file.
        masses: model -> true mass [kg].
        finger_friction: coefficient of friction of the finger tips.
        bounce: time constant [s] and damping ratio of the contacts of moving models.
        touch: time constant [s] and damping ratio of the contacts of the fingers.
        hulls: model -> (n, 3) corners of an additional convex shape in its frame [m].
        fixtures: model -> x y z, qw qx qy qz in the right palm, where an equality with the model's name can hold it;
            the equality is inactive at first.
    """

    poses: Mapping[str, Floats]
    masses: Mapping[str, float]
    finger_friction: float = 0.8
    bounce: tuple[float, float] = (0.0085, 0.3)
    hulls: Mapping[str, Floats] = field(default_factory=dict)
    fixtures: Mapping[str, Floats] = field(default_factory=dict)
    touch: tuple[float, float] = _RUBBER_CONTACT


@dataclass(frozen=True, slots=True)
class Compliance:
    """The compliance of an arm.

    Attributes:
        softness: factor by which the stiffness is reduced.
        guarded: start and end of a motion [s] that pauses while a joint deflects by more than `most_strain`; the
            missing motion is made up after the end.
        most_strain: deflection of a joint beyond which the motion pauses [rad].
    """

    softness: float = 1.0
    guarded: tuple[float, float] = (math.inf, math.inf)
    most_strain: float = math.inf


STIFF = Compliance()
"""An arm with its nominal compliance."""


@dataclass(frozen=True, slots=True)
class RealWorld:
    """The real world of an episode.

    Attributes:
        truths: true values that differ from the world file.
        grip: force, fading and delays of the hand's closing.
        gravity_factors: (joints,) factors of the robot's gravity compensation, 1 if exact.
        compliance: compliance of the right arm.
    """

    truths: TrueValues
    grip: Grip
    gravity_factors: Floats
    compliance: Compliance = STIFF
