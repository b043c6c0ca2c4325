"""The response of real joints to commands: delayed and smooth."""

from __future__ import annotations

import numpy as np

from hetwin_suite.model import Floats
from hetwin_suite.source import JointMotion


class Response:
    """A critically damped second-order response to commanded positions and velocities.

    Args:
        bandwidth: natural frequency [rad/s].
        feed_forward: share of the commanded velocity that is fed forward.
        period: period of the steps [s].
        positions: (n,) initial positions of the joints at rest [rad or m].
    """

    def __init__(
        self, bandwidth: float, feed_forward: float, period: float, positions: Floats
    ) -> None:
        self._bandwidth, self._feed_forward, self._period = bandwidth, feed_forward, period
        self._positions = positions.copy()
        self._velocities = np.zeros_like(positions)

    def to(self, motion: JointMotion) -> JointMotion:
        """Return the motion of the joints one period later for this command."""
        w, step = self._bandwidth, self._period
        known = self._feed_forward * motion.velocities
        accelerations = w * w * (motion.positions - self._positions) + 2.0 * w * (
            known - self._velocities
        )
        self._velocities = self._velocities + step * accelerations
        self._positions = self._positions + step * self._velocities
        return JointMotion(self._positions, self._velocities, accelerations, motion.efforts)
