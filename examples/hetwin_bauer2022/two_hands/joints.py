"""Names and drives of the two-hand robot's joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hetwin_suite.model import Floats

TORSO = ("torso_joint_1", "torso_joint_2", "head_joint_1", "head_joint_2")
ARMS = {side: tuple(f"{side}_arm_joint_{i}" for i in range(1, 8)) for side in ("right", "left")}
FINGERS = {
    side: tuple(f"{side}_hand_finger_{f}_joint_{j}" for f in range(1, 5) for j in range(1, 4))
    for side in ("right", "left")
}
BODY = (*TORSO, *ARMS["right"], *ARMS["left"])
"""The joints of the body's driver; each hand has a separate driver."""
ALL = (*BODY, *FINGERS["right"], *FINGERS["left"])

PALM = "right_hand_palm"
GRASP_OFFSET = (0.0, 0.0, 0.18)
"""Position of the grasp frame in the palm, the centre of a held ball [m]."""

LEVERS = np.array([0.085, 0.046, 0.020])
"""Lever arms of a force at a finger's tip about its three joints [m]."""
OPENED = np.array([-0.45, 0.35, 0.2])
CLOSED = np.array([0.07, 0.72, 0.46])
"""Positions of a finger's joints [rad]; when closed, the tips of opposing fingers nearly touch."""


@dataclass(frozen=True, slots=True)
class Drives:
    """Properties of the drives, (joints,) each.

    Attributes:
        stiffness: stiffness of the joint impedance [Nm/rad].
        damping: damping of the joint impedance [Nms/rad].
        rotor: inertia of the rotor at the joint [kg m^2].
    """

    stiffness: Floats
    damping: Floats
    rotor: Floats


_ARM = ((1500, 1500, 1000, 1000, 300, 250, 250), (70, 70, 45, 45, 12, 9, 9))
_ARM_ROTOR = (0.5, 0.5, 0.3, 0.3, 0.06, 0.04, 0.04)
_TORSO = ((9000, 9000, 200, 200), (500, 500, 8, 8))
_TORSO_ROTOR = (4.0, 4.0, 0.05, 0.05)
_FINGER = ((6.0, 3.0, 1.8), (0.09, 0.04, 0.016))
_FINGER_ROTOR = (4e-4, 1.5e-4, 6e-5)


def drives() -> Drives:
    """Return the drives of all joints, in the order of `ALL`."""
    stiffness = (*_TORSO[0], *_ARM[0], *_ARM[0], *_FINGER[0] * 8)
    damping = (*_TORSO[1], *_ARM[1], *_ARM[1], *_FINGER[1] * 8)
    rotor = (*_TORSO_ROTOR, *_ARM_ROTOR, *_ARM_ROTOR, *_FINGER_ROTOR * 8)
    return Drives(*(np.array(v, dtype=np.float64) for v in (stiffness, damping, rotor)))
