"""Smooth velocities and accelerations of a recorded motion, a little behind it.

A recording's positions are noisy, and the second derivative of a curve through them is mostly noise. So a parabola is
fitted to the positions around a time (Savitzky and Golay 1964), which lies a little in the past, since what follows it
must be known, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.scene.values import Floats

HALF_WINDOW = 0.1
"""The parabola is fitted to what lies at most so far before and after the time [s]."""


class Smoothed(NamedTuple):
    """The motion at the middle of the window, each (n,), with the efforts of that time."""

    positions: Floats
    velocities: Floats
    accelerations: Floats
    efforts: Floats


class Smoother:
    """Keeps the last samples of the motion of n joints.

    Args:
        count: of joints.
        interval: between samples [s].

    Attributes:
        delay: how far the smoothed motion is behind the last sample [s].
    """

    def __init__(self, count: int, interval: float) -> None:
        self._half = max(1, round(HALF_WINDOW / interval))
        self.delay = self._half * interval
        self._size = 2 * self._half + 1
        # Each sample is written twice, so that the last ones are always contiguous.
        self._positions = np.zeros((2 * self._size, count))
        self._efforts = np.zeros((self._size, count))
        self._taken = 0
        times = np.arange(-self._half, self._half + 1) * interval
        fit = np.linalg.pinv(np.vander(times, 3, increasing=True))
        self._weights = np.stack((fit[1], 2.0 * fit[2]))

    def take(self, positions: Floats, efforts: Floats) -> None:
        """Take the next sample."""
        at = self._taken % self._size
        self._positions[at] = self._positions[at + self._size] = positions
        self._efforts[at] = efforts
        self._taken += 1

    def motion(self) -> Smoothed | None:
        """Return the smoothed motion; None as long as the window is not full."""
        if self._taken < self._size:
            return None
        begin = self._taken % self._size
        window = self._positions[begin : begin + self._size]
        velocities, accelerations = self._weights @ window
        efforts = self._efforts[(begin + self._half) % self._size]
        return Smoothed(window[self._half], velocities, accelerations, efforts)
