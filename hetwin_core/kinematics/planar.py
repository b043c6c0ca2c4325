"""Places and headings in the plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class PlanarPose(NamedTuple):
    """A place in the plane [m] and a heading [rad]."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    def after(self, way: float, turn: float, sideways: float = 0.0) -> PlanarPose:
        """Return where a motion of constant twist ends.

        Args:
            way: along the own x axis, which turns meanwhile [m].
            turn: about z [rad].
            sideways: along the own y axis [m].
        """
        half = turn / 2.0
        chord = math.sin(half) / half if abs(half) > 1e-9 else 1.0
        along, across = chord * way, chord * sideways
        c, s = math.cos(self.yaw + half), math.sin(self.yaw + half)
        return PlanarPose(
            self.x + along * c - across * s, self.y + along * s + across * c, self.yaw + turn
        )

    def offset(self, x: float, y: float) -> PlanarPose:
        """Return the place x y of this pose's frame, with the same heading."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return PlanarPose(self.x + x * c - y * s, self.y + x * s + y * c, self.yaw)

    def composed(self, other: PlanarPose) -> PlanarPose:
        """Return a pose in this pose's frame as one in the frame that this one is in."""
        return self.offset(other.x, other.y)._replace(yaw=self.yaw + other.yaw)

    @property
    def inverse(self) -> PlanarPose:
        """The frame that this pose is in, in this pose's frame."""
        return PlanarPose(0.0, 0.0, -self.yaw).offset(-self.x, -self.y)

    @classmethod
    def of(cls, pose: Sequence[float]) -> PlanarPose:
        """Return place and heading of a pose x y z [m], qw qx qy qz."""
        x, y, _, qw, qx, qy, qz = pose[:7]
        return cls(x, y, math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz)))

    @property
    def in_space(self) -> NDArray[np.float64]:
        """(7,) x y z [m], qw qx qy qz at the height 0."""
        half = self.yaw / 2.0
        return np.array([self.x, self.y, 0.0, math.cos(half), 0.0, 0.0, math.sin(half)])


def nearest_turn(angle: float) -> float:
    """Return the angle between -pi and pi that turns as far [rad]."""
    return math.remainder(angle, 2.0 * math.pi)
