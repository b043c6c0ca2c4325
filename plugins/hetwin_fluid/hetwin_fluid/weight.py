"""The force of the fluid on its cup."""

from __future__ import annotations

import numpy as np

from hetwin_suite.model import Floats, cross

_SHARE = 0.2
"""Weight of the newest force in an exponential average. The force acts on the cup with a delay of one step of the
fluid; without the average, a fluid heavier than its cup would be unstable."""


class Weight:
    """The force of the particles on their cup: at rest their weight, plus inertial forces if the cup moves."""

    def __init__(self) -> None:
        self._wrench = np.zeros(6)

    def update(self, pushes: Floats, positions: Floats, rotation: Floats, mass: float) -> Floats:
        """Return the wrench on the cup, in the world.

        Args:
            pushes: (n, 3) acceleration of each particle by contacts, in the cup's frame [m/s2].
            positions: (n, 3) positions of the particles in the cup's frame [m].
            rotation: (3, 3) rotation matrix of the cup in the world.
            mass: mass of one particle [kg].

        Returns:
            (6,) force [N] and torque about the cup's origin [Nm], along the world's axes.
        """
        now = np.zeros(6)
        if len(positions):
            # Forces between particles cancel; the sum is the force of the walls.
            force = rotation @ (-mass * np.add.reduce(pushes))
            centre = rotation @ (np.add.reduce(positions) / len(positions))
            now[:3], now[3:] = force, cross(centre.tolist(), force.tolist())
            now = self._wrench + _SHARE * (now - self._wrench)
        self._wrench = now
        return now
