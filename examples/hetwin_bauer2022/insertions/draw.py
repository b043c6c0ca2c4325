"""The random variables of an insertion, all drawn from one generator per episode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from transforms3d.euler import euler2quat

from hetwin_bauer2022.solar_panel import (
    DIP_MASS,
    HANDLE_LENGTH,
    SHAFT_LENGTH,
    SPU_AT,
)
from hetwin_bauer2022.two_hands.joints import ALL
from hetwin_suite.model import Floats

SIDEWAYS_M = 0.005
ALONG_M = 0.003
"""Standard deviations of the believed position of the socket: along x and y, and along z [m]."""
BEYOND_M = 0.01
"""Usual distance of the tip's last goal beyond the believed bottom of the hole [m]."""
SEARCHED = 0.7
"""Share of the programs that search in a spiral."""
PALM_FACE = 0.11
"""z of the palm's surface in the palm's frame [m]."""
TIP_IN_PALM = (0.0, 0.0, PALM_FACE + HANDLE_LENGTH + SHAFT_LENGTH + 0.0005)
"""Believed position of the probe's tip in the palm [m]; the probe's z points to the wrist."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One episode's random numbers; metres, radians, kg, N.

    Attributes:
        socket: (3,) believed origin of the socket.
        socket_error: (3,) true minus believed origin of the socket.
        dip_error: (3,) true minus believed position of the probe in the palm.
        dip_turn: roll, pitch, yaw of the probe in the hand, relative to the believed ones.
        search_radius: radius of the program's search spiral, 0 for none.
        softness: softness of the arm, see `Compliance`.
        force: force of each finger tip.
        finger_friction: coefficient of friction of the finger tips.
        dip_mass: true mass of the probe.
        gravity_factors: (joints,) factors of the robot's gravity compensation, 1 if exact.
        beyond: distance of the last goal beyond the believed bottom of the hole.
    """

    socket: Floats
    socket_error: Floats
    dip_error: Floats
    dip_turn: Floats
    search_radius: float
    softness: float
    force: float
    finger_friction: float
    dip_mass: float
    gravity_factors: Floats
    beyond: float = BEYOND_M

    def socket_pose(self, true: bool) -> Floats:
        """Return (7,) the socket's true or believed pose."""
        position = self.socket + self.socket_error if true else self.socket
        return np.array([*position, 1.0, 0.0, 0.0, 0.0])

    def dip_in_palm(self, true: bool) -> Floats:
        """Return (7,) the probe's true or believed pose in the palm, when it is put into the hand."""
        position = np.array(TIP_IN_PALM)
        roll, pitch, yaw = self.dip_turn if true else (0.0, 0.0, 0.0)
        quaternion = euler2quat(np.pi + roll, pitch, yaw)
        return np.concatenate([position + self.dip_error if true else position, quaternion])


def draw(random: np.random.Generator) -> Draw:
    """Draw an episode."""
    searched = random.random() < SEARCHED
    return Draw(
        socket=np.array(SPU_AT) + random.uniform([-0.03, -0.03, 0.0], [0.03, 0.03, 0.0]),
        socket_error=random.normal(0.0, [SIDEWAYS_M, SIDEWAYS_M, ALONG_M]),
        dip_error=random.normal(0.0, [0.001, 0.001, 0.0]),
        dip_turn=random.normal(0.0, [0.01, 0.01, 0.3]),
        search_radius=random.uniform(0.003, 0.007) if searched else 0.0,
        softness=random.uniform(3.0, 5.0),
        force=random.uniform(6.0, 9.0),
        finger_friction=random.uniform(0.7, 0.9),
        dip_mass=random.normal(DIP_MASS, 0.003),
        gravity_factors=random.normal(1.0, 0.02, len(ALL)),
    )
