"""Where driven joints shall be within a step."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats


class Course:
    """The cubic curve between the last two commands, by positions and velocities of all driven joints."""

    def __init__(self, count: int, period: float) -> None:
        self._period = period
        self._from: tuple[Floats, Floats] = (np.zeros(count), np.zeros(count))
        self._to: tuple[Floats, Floats] = self._from

    def begin(self, positions: Floats, velocities: Floats) -> None:
        """The joints are here now."""
        self._to = (positions.copy(), velocities.copy())

    def command(self, positions: Floats, velocities: Floats) -> None:
        """The joints shall be here at the end of the next step."""
        self._from = self._to
        self._to = (positions.copy(), velocities.copy())

    def at(self, share: float) -> Floats:
        """(n,) positions after a share of the step."""
        if share >= 1.0:
            return self._to[0]
        (a, da), (b, db) = self._from, self._to
        s, r = share, 1.0 - share
        between: Floats = r * r * ((1 + 2 * s) * a + s * self._period * da) + s * s * (
            (1 + 2 * r) * b - r * self._period * db
        )
        return between

    def save(self) -> object:
        """What `restore` needs."""
        return self._from, self._to

    def restore(self, state: object) -> None:
        """Go back to what `save` gave."""
        assert isinstance(state, tuple)
        self._from, self._to = state
