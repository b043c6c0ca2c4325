"""Planar poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class PlanarPose(NamedTuple):
    """A position in the plane [m] and a heading [rad]."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    def after(self, way: float, turn: float, sideways: float = 0.0) -> PlanarPose:
        """Return the pose after a motion of constant twist.

        Args:
            way: displacement along the moving x axis [m].
            turn: rotation about z [rad].
            sideways: displacement along the moving y axis [m].
        """
        half = turn / 2.0
        chord = math.sin(half) / half if abs(half) > 1e-9 else 1.0
        x_shift, y_shift = chord * way, chord * sideways
        c, s = math.cos(self.yaw + half), math.sin(self.yaw + half)
        return PlanarPose(
            self.x + x_shift * c - y_shift * s, self.y + x_shift * s + y_shift * c, self.yaw + turn
        )

    def offset(self, x: float, y: float) -> PlanarPose:
        """Return the pose at position x y of this pose's frame, with the same heading."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return PlanarPose(self.x + x * c - y * s, self.y + x * s + y * c, self.yaw)

    def composed(self, other: PlanarPose) -> PlanarPose:
        """Transform a pose from this pose's frame to the parent frame."""
        return self.offset(other.x, other.y)._replace(yaw=self.yaw + other.yaw)

    @property
    def inverse(self) -> PlanarPose:
        """The parent frame in this pose's frame."""
        return PlanarPose(0.0, 0.0, -self.yaw).offset(-self.x, -self.y)

    @classmethod
    def of(cls, pose: Sequence[float]) -> PlanarPose:
        """Project a pose x y z [m], qw qx qy qz to the plane."""
        x, y, _, qw, qx, qy, qz = pose[:7]
        return cls(x, y, math.atan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz)))

    @property
    def in_space(self) -> NDArray[np.float64]:
        """(7,) x y z [m], qw qx qy qz at height 0."""
        half = self.yaw / 2.0
        return np.array([self.x, self.y, 0.0, math.cos(half), 0.0, 0.0, math.sin(half)])


def nearest_turn(angle: float) -> float:
    """Return the equivalent angle between -pi and pi [rad]."""
    return math.remainder(angle, 2.0 * math.pi)
