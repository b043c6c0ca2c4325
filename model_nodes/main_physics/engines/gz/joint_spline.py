"""Interpolates the commands of driven joints within a step."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.copied import Copied


class JointSpline(Copied):
    """The cubic Hermite spline between the last two commands of all driven joints."""

    saved_fields = ("_from", "_to")

    def __init__(self, count: int, period: float) -> None:
        self._period = period
        self._from: tuple[Floats, Floats] = (np.zeros(count), np.zeros(count))
        self._to: tuple[Floats, Floats] = self._from

    def set_state(self, positions: Floats, velocities: Floats) -> None:
        """Set the current state of the joints."""
        self._to = (positions.copy(), velocities.copy())

    def command(self, positions: Floats, velocities: Floats) -> None:
        """Set the commanded state at the end of the next step."""
        self._from = self._to
        self._to = (positions.copy(), velocities.copy())

    def at(self, share: float) -> Floats:
        """Return (n,) positions after a fraction of the step."""
        if share >= 1.0:
            return self._to[0]
        (a, da), (b, db) = self._from, self._to
        s, r = share, 1.0 - share
        between: Floats = r * r * ((1 + 2 * s) * a + s * self._period * da) + s * s * (
            (1 + 2 * r) * b - r * self._period * db
        )
        return between
