"""A camera that looks at a place in the scene."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats

_ROUNDS = 6


@dataclass(frozen=True)
class Camera:
    """A pinhole, or, for `opening` 0, a camera with parallel rays.

    Attributes:
        eye: (3,) its position in the world [m].
        axes: (3, 3) rows: right, up, forward.
        opening: half the vertical field of view, as a tangent; 0 for parallel rays.
        half_height: half the height of the view for parallel rays, in m.
        width: pixels.
        height: pixels.
    """

    eye: Floats
    axes: Floats
    opening: float
    half_height: float
    width: int
    height: int

    @classmethod
    def around(
        cls,
        centre: Floats,
        radius: float,
        towards: Floats,
        width: int,
        height: int,
        *,
        parallel: bool = False,
    ) -> Camera:
        """A camera that sees a whole ball, from its centre in the direction `towards`."""
        towards = towards / np.linalg.norm(towards)
        forward = -towards
        up = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.99 else np.array([0.0, 1.0, 0.0])
        right = np.cross(forward, up)
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(right, forward), forward])
        opening = 0.0 if parallel else math.tan(math.radians(16.0))
        away = 3.0 * radius if parallel else radius / math.sin(math.radians(16.0))
        return cls(centre + towards * away, axes, opening, radius, width, height)

    @classmethod
    def aimed(cls, eye: Floats, at: Floats, radius: float, side: int) -> Camera:
        """A pinhole at `eye` that sees a ball around `at` [m], with a square picture of so many pixels a side."""
        away = at - eye
        distance = float(np.linalg.norm(away))
        plain = cls.around(at, radius, -away, side, side)
        return cls(eye, plain.axes, radius / distance, 0.0, side, side)

    @classmethod
    def fitted(
        cls, points: Floats, towards: Floats, width: int, height: int, margin: float
    ) -> Camera:
        """A pinhole in the direction `towards` of points (n, 3), as near as it can be and still see all of them.

        Args:
            points: what to see.
            towards: from the points to the camera.
            width: pixels.
            height: pixels.
            margin: share of the view, on each side, that stays free.
        """
        centre = (points.min(axis=0) + points.max(axis=0)) / 2
        first = cls.around(centre, 1.0, towards, width, height)
        right, up, forward = ((points - centre) @ axis for axis in first.axes)
        room = first.opening * (1.0 - 2.0 * margin)
        sides = (right, room * width / height), (up, room)
        away, middle = 0.0, [0.0, 0.0]
        for _ in range(
            _ROUNDS
        ):  # what is nearer seems larger, so that the middle depends on the distance
            away = max(
                float((np.abs(at - m) / r - forward).max())
                for (at, r), m in zip(sides, middle, strict=True)
            )
            away = max(away, 1e-3)
            for i, (at, _) in enumerate(sides):
                slope = at / np.maximum(away + forward, 1e-3)
                middle[i] = float(slope.max() + slope.min()) / 2 * away
        away = max(
            float((np.abs(at - m) / r - forward).max())
            for (at, r), m in zip(sides, middle, strict=True)
        )
        eye = centre + first.axes[0] * middle[0] + first.axes[1] * middle[1] - first.axes[2] * away
        return cls(eye, first.axes, first.opening, 0.0, width, height)

    def project(self, points: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Pixel coordinates (n, 2) and depths (n,) of points (n, 3); depths of points behind are negative."""
        x, y, depth = self._seen(points)
        if self.opening > 0.0:
            scale = self.height / 2 / self.opening / np.maximum(depth, 1e-6)
        else:
            scale = np.asarray(self.height / 2 / self.half_height, points.dtype)
        at = np.empty((len(points), 2), points.dtype)
        at[:, 0] = self.width / 2 + x * scale
        at[:, 1] = self.height / 2 - y * scale
        return at, depth

    def _seen(self, points: NDArray[Any]) -> list[NDArray[Any]]:
        """Coordinates to the right, up and forward, in the precision of the points.

        Written out, because for products of so few columns a threaded BLAS takes longer to start than to multiply.
        """
        eye, axes = self.eye.astype(points.dtype), self.axes.astype(points.dtype)
        px, py, pz = (points[:, i] - eye[i] for i in range(3))
        return [px * x + py * y + pz * z for x, y, z in axes]

    def points(
        self, columns: NDArray[np.int64], rows: NDArray[np.int64], depths: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """(n, 3) points that pixels see at these depths; for a pinhole."""
        scale = 2 * self.opening / self.height
        x = ((columns + (0.5 - self.width / 2)) * scale).astype(np.float32) * depths
        y = ((self.height / 2 - 0.5 - rows) * scale).astype(np.float32) * depths
        axes, eye = self.axes.astype(np.float32), self.eye.astype(np.float32)
        seen = np.empty((len(depths), 3), np.float32)
        for i in range(3):
            seen[:, i] = x * axes[0, i] + y * axes[1, i] + depths * axes[2, i] + eye[i]
        return seen

    def rays(self) -> Floats:
        """(height, width, 3) direction of each pixel's ray, with length 1 along the view; for a pinhole."""
        x = (np.arange(self.width) + 0.5 - self.width / 2) * (2 * self.opening / self.height)
        y = (self.height / 2 - np.arange(self.height) - 0.5) * (2 * self.opening / self.height)
        right, up, forward = self.axes
        rays: Floats = x[None, :, None] * right + y[:, None, None] * up + forward
        return rays
