"""What the fluid does to its cup."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.poses import cross
from hetwin_core.ensemble.scene.values import Floats

_SHARE = 0.2
"""Of the newest force; the rest is what was before. The cup feels the force late by a step of the fluid, and a fluid
heavier than its cup would shake it more and more if all of the force went in at once."""


class Weight:
    """Force of the particles on their cup: weight at rest, more or less when the cup is moved up or down."""

    def __init__(self) -> None:
        self._wrench = np.zeros(6)

    def update(self, pushes: Floats, positions: Floats, rotation: Floats, mass: float) -> Floats:
        """The wrench on the cup, in the world.

        Args:
            pushes: (n, 3) what the walls and the others gave each particle, in the cup's frame [m/s2].
            positions: (n, 3) of the particles in the cup's frame [m].
            rotation: (3, 3) the cup's, in the world.
            mass: of a particle [kg].

        Returns:
            (6,) force [N] and torque about the cup's origin [Nm], along the world's axes.
        """
        now = np.zeros(6)
        if len(positions):
            # What particles do to each other cancels; the rest is what the cup gives.
            force = rotation @ (-mass * np.add.reduce(pushes))
            centre = rotation @ (np.add.reduce(positions) / len(positions))
            now[:3], now[3:] = force, cross(centre.tolist(), force.tolist())
            now = self._wrench + _SHARE * (now - self._wrench)
        self._wrench = now
        return now
