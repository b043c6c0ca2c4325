"""Smooths measured and expected efforts, so that their difference means something.

Expected efforts hold the acceleration of the recorded motion, the second difference of positions that were rounded
and sampled: each single value is noise (on a real arm tens of Nm), their weighted mean over a quarter of a second is
not. What touches the robot acts within a tenth of a second, so that measured efforts are smoothed over less.
"""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats

EXPECTED_HALF_S = 0.12
"""Half of the window of expected efforts [s]; what is smoothed is so much older than the newest report."""
MEASURED_HALF_S = 0.04
"""Half of the window of measured efforts [s]."""


class Smoother:
    """Means of the last reports, weighted about the same moment `delay_ns` before the newest one.

    Args:
        joints: number of joints.
        period_ns: between two reports [ns].

    Attributes:
        delay_ns: how much older what `add` returns is than the newest report [ns].
    """

    def __init__(self, joints: int, period_ns: int) -> None:
        half = max(1, round(EXPECTED_HALF_S * 1e9 / period_ns))
        short = min(half, round(MEASURED_HALF_S * 1e9 / period_ns))
        self._length = 2 * half + 1
        self._recent = slice(half - short, half + short + 1)
        weights = np.hanning(self._length + 2)[1:-1]
        self._expected_weights = weights / weights.sum()
        self._measured_weights = np.full(2 * short + 1, 1.0 / (2 * short + 1))
        # Each row is written twice, so that the last ones are always a contiguous part of the array.
        self._measured = np.full((2 * self._length, joints), np.nan)
        self._expected = np.full((2 * self._length, joints), np.nan)
        self._next = 0
        self.delay_ns = half * period_ns

    def add(self, measured: Floats, expected: Floats) -> tuple[Floats, Floats]:
        """Add a report, and return measured and expected efforts (joints,) smoothed; NaN until the window is full.

        Args:
            measured: (joints,) Nm or N, NaN where nothing was measured.
            expected: (joints,) Nm or N, NaN where it is unknown.
        """
        at, length = self._next, self._length
        self._measured[at] = self._measured[at + length] = measured
        self._expected[at] = self._expected[at + length] = expected
        self._next = at = (at + 1) % length
        window = self._measured[at : at + length][self._recent]
        return (
            np.einsum("i,ij->j", self._measured_weights, window),
            np.einsum("i,ij->j", self._expected_weights, self._expected[at : at + length]),
        )
