"""The sun and the shadows that it casts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.view.report.camera import Camera
from hetwin_suite.view.report.raster import rasterize

_PIXELS = 640
_TAPS = ((0, 0), (1, 0), (0, 1), (1, 1), (-1, 0), (0, -1))
_HEIGHT = math.radians(58.0)
_TO_THE_LEFT = math.radians(38.0)


class Sun:
    """A sun over the viewer's left shoulder.

    Args:
        corners: (m, 3, 3) corners of the triangles that cast shadows, in the world, in m.
        camera: the viewer.
        centre: (3,) middle of the region that gets shadows.
        radius: its radius in m; outside of it everything is lit.
    """

    def __init__(self, corners: Floats, camera: Camera, centre: Floats, radius: float) -> None:
        forward = camera.axes[2]
        angle = math.atan2(-forward[1], -forward[0]) - _TO_THE_LEFT
        level = math.cos(_HEIGHT)
        self.direction = np.array(
            [level * math.cos(angle), level * math.sin(angle), math.sin(_HEIGHT)]
        )
        self._camera = Camera.around(
            centre, radius, self.direction, _PIXELS, _PIXELS, parallel=True
        )
        self._depth, _ = rasterize(corners, self._camera, near=-1e9)
        self._bias = 4.0 * radius / _PIXELS

    def lit(self, points: NDArray[Any], normals: NDArray[Any] | None = None) -> NDArray[np.float32]:
        """(n,) share of the sun, 0 to 1, that reaches points (n, 3) on faces with these normals."""
        if normals is not None:
            points = points + normals * np.float32(self._bias)
        at, depth = self._camera.project(points)
        x, y = (at - 0.5).astype(np.int32).T
        inside = (x > 0) & (y > 0) & (x < _PIXELS - 1) & (y < _PIXELS - 1)
        flat = self._depth.reshape(-1)
        at_pixel = (y * _PIXELS + x)[inside]
        least = (depth[inside] - self._bias).astype(np.float32)
        share = np.zeros(len(at_pixel), np.float32)
        for dx, dy in _TAPS:
            share += flat[at_pixel + (dy * _PIXELS + dx)] >= least
        lit = np.ones(len(points), np.float32)
        lit[inside] = share / len(_TAPS)
        return lit
