"""How far a base is from where its odometry has it."""

from __future__ import annotations

import math

import numpy as np

from hetwin_core.ensemble.scene.poses import compose, relative_to
from hetwin_core.ensemble.scene.values import Floats


class BaseDifference:
    """Compares a base with its odometry, from where both were at the beginning or at the last correction.

    Args:
        pose: (13,) of the base in the world.
        odometry: (13,) of the base in the frame of its odometry.
    """

    def __init__(self, pose: Floats, odometry: Floats) -> None:
        self._begin(pose, odometry)

    def _begin(self, pose: Floats, odometry: Floats) -> None:
        self._pose, self._odometry = _at_rest(pose), _at_rest(odometry)

    def look(self, pose: Floats, odometry: Floats, corrected: bool) -> tuple[float, float]:
        """Return the distance [m] on the ground and the angle [rad] between the base and its odometry.

        Args:
            pose: (13,) of the base in the world.
            odometry: (13,) of the base in the frame of its odometry.
            corrected: whether it has been put somewhere since; both begin anew then.
        """
        if corrected:
            self._begin(pose, odometry)
        moved = relative_to(self._odometry, _at_rest(odometry))
        expected = compose(self._pose, moved)
        distance = math.hypot(pose[0] - expected[0], pose[1] - expected[1])
        turn = relative_to(expected, _at_rest(pose))[3:7]
        angle = 2.0 * math.atan2(float(np.linalg.norm(turn[1:])), abs(float(turn[0])))
        return distance, angle


def _at_rest(pose: Floats) -> Floats:
    still = np.zeros_like(pose)
    still[:7] = pose[:7]
    return still
