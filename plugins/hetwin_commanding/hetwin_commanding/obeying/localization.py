"""The localization of the simulated robot: occasional corrections close to the true pose."""

from __future__ import annotations

import math

import numpy as np

from hetwin_commanding.obeying.mismatch import Mismatch
from hetwin_programs import seen_from, within
from hetwin_suite.model import Floats

IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class Localization:
    """Corrects odometry as AMCL does, by the transform from the map to the frame of odometry.

    Args:
        mismatch: mismatch with its noise.
        random: generator of the noise.
    """

    def __init__(self, mismatch: Mismatch, random: np.random.Generator) -> None:
        self._place, self._heading = mismatch.place_noise, mismatch.heading_noise
        self._random = random
        self.pose: tuple[float, ...] = IDENTITY
        self.correction: tuple[float, ...] = IDENTITY

    def look(self, truth: Floats, odometry: Floats) -> None:
        """Update the correction.

        Args:
            truth: (13,) true pose of the root link in the world, which is the map.
            odometry: (13,) its pose in the frame of odometry.
        """
        x, y, turn = self._random.standard_normal(3) * (self._place, self._place, self._heading)
        seen = within(truth[:7].tolist(), (0.0, 0.0, 0.0, *_about_z(float(turn))))
        self.pose = (seen[0] + float(x), seen[1] + float(y), *seen[2:])
        self.correction = within(self.pose, seen_from(odometry[:7].tolist(), IDENTITY))

    @property
    def covariance(self) -> list[float]:
        """(36) covariance of x y z and the rotations about them."""
        diagonal = [self._place**2, self._place**2, 0.0, 0.0, 0.0, self._heading**2]
        return np.diag(diagonal).ravel().tolist()


def _about_z(turn: float) -> tuple[float, float, float, float]:
    return (math.cos(turn / 2.0), 0.0, 0.0, math.sin(turn / 2.0))
