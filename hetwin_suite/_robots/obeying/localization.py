"""Where the stand-in's localization believes that it is: near the truth, now and then."""

from __future__ import annotations

import math

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite._robots.obeying.mismatch import Mismatch
from model_nodes.main_physics.world.description import Pose
from model_nodes.main_physics.world.transforms import compose, invert, pose_of


class Localization:
    """Corrects odometry as AMCL does: by a transform from the map to where odometry began.

    Args:
        mismatch: its noise.
        random: draws it.
    """

    def __init__(self, mismatch: Mismatch, random: np.random.Generator) -> None:
        self._place, self._heading = mismatch.place_noise, mismatch.heading_noise
        self._random = random
        self.pose: Pose = pose_of([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        self.correction: Pose = self.pose

    def look(self, truth: Floats, odometry: Floats) -> None:
        """Look where it is.

        Args:
            truth: (13,) pose of the root link in the world, which is the map.
            odometry: (13,) its pose where odometry began.
        """
        x, y, turn = self._random.standard_normal(3) * (self._place, self._place, self._heading)
        seen = compose(truth[:7].tolist(), (0.0, 0.0, 0.0, *_about_z(float(turn))))
        self.pose = (seen[0] + float(x), seen[1] + float(y), *seen[2:])
        self.correction = compose(self.pose, invert(odometry[:7].tolist()))

    @property
    def covariance(self) -> list[float]:
        """(36) of x y z and turns about them."""
        diagonal = [self._place**2, self._place**2, 0.0, 0.0, 0.0, self._heading**2]
        return np.diag(diagonal).ravel().tolist()


def _about_z(turn: float) -> tuple[float, float, float, float]:
    return (math.cos(turn / 2.0), 0.0, 0.0, math.sin(turn / 2.0))
