"""Decides whether recorded efforts are torques at all: many robots report motor currents or percentages."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats

FEWEST = 50
"""Rows before a decision."""
LEAST_RATIO, MOST_RATIO = 0.3, 3.0
"""Measured over expected efforts of a robot whose efforts are torques.

Real arms have 0.65 (springs that carry a part) to 1.4 (a tool that the model does not have); motor currents of a real
arm have 0.00 to 0.06.
"""
_LEAST_EXPECTED = 0.005
"""Expected efforts smaller than this share of the limits (root mean square) decide nothing."""


class TorqueCheck:
    """Compares measured with expected efforts over all joints, each as a share of its limit.

    Attributes:
        decided: whether the question is decided.
        ratio: measured over expected efforts as far as it is known, by least squares; NaN before.
        is_torque: whether the measured efforts are torques (and forces), as long as nothing shows that they are not.
    """

    def __init__(self) -> None:
        self.decided = False
        self.ratio = float("nan")
        self.is_torque = True
        self._rows = 0
        self._numbers = 0
        self._product = 0.0
        self._square = 0.0

    def add(self, measured: Floats, expected: Floats) -> None:
        """Add rows (n, joints) of smoothed efforts as shares of the limits, NaN where unknown; decides once."""
        if self.decided:
            return
        known = np.isfinite(measured) & np.isfinite(expected)
        count = int(np.count_nonzero(known))
        if not count:
            return
        m, e = measured[known], expected[known]
        self._rows += len(measured)
        self._numbers += count
        self._product += float(m @ e)
        self._square += float(e @ e)
        if self._square > 0.0:
            self.ratio = self._product / self._square
        enough = self._square >= _LEAST_EXPECTED**2 * self._numbers
        self.decided = self._rows >= FEWEST and enough
        self.is_torque = not self.decided or LEAST_RATIO <= self.ratio <= MOST_RATIO
