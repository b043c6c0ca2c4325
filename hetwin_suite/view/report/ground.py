"""The ground: a grid that fades with the distance, and the shadows on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.view.report.camera import Camera
from hetwin_suite.view.report.light import Sun

_GRID = np.array([0.50, 0.53, 0.59], np.float32)
_SHADOW = 0.3


def paint_ground(camera: Camera, finer: int, height: float, sun: Sun) -> NDArray[np.float32]:
    """Paint the ground alone, see-through, so that it suits a light and a dark page.

    Args:
        camera: from where; its pixels are `finer` times those of the picture in each direction.
        finer: see `camera`.
        height: of the ground in the world, in m.
        sun: casts the shadows.

    Returns:
        (height, width, 4) colours premultiplied by their coverage, and the coverage.
    """
    camera = replace(camera, width=camera.width // finer, height=camera.height // finer)
    rays = camera.rays().astype(np.float32)
    picture = np.zeros((camera.height, camera.width, 4), np.float32)
    drop = float(camera.eye[2]) - height
    if drop <= 0.0:
        return picture
    down = -rays[:, :, 2]
    seen = down > 0.02
    distance = drop / down[seen]
    points = camera.eye.astype(np.float32) + rays[seen] * distance[:, None]
    slope = max(0.15, -float(camera.axes[2, 2]))
    centre = (camera.eye + camera.axes[2] * (drop / slope))[:2]
    reach = np.float32(0.62 * drop / slope * camera.opening * 4)
    far = ((points[:, :2] - centre.astype(np.float32)) ** 2).sum(axis=1)
    fade = np.exp(-far / reach**2)
    pixel = distance * np.float32(2 * camera.opening / camera.height) / down[seen]
    spacing = float(10.0 ** np.floor(np.log10(max(float(reach) / 2, 1e-3))))
    line = 0.3 * _lines(points, spacing, pixel) + 0.4 * _lines(points, 5 * spacing, pixel)
    shadow = (1.0 - sun.lit(points)) * np.float32(_SHADOW)
    grid = line * fade * (1.0 - shadow)
    picture[seen, :3] = _GRID * grid[:, None]
    picture[seen, 3] = shadow + grid
    return picture


def _lines(points: NDArray[Any], spacing: float, pixel: NDArray[Any]) -> NDArray[Any]:
    """How much of each pixel the lines of a grid cover; none where they would be too close."""
    place = points[:, :2] * np.float32(1.0 / spacing) + np.float32(0.5)
    off = np.abs(place - np.floor(place) - np.float32(0.5)).min(axis=1) * np.float32(spacing)
    cover = np.clip(1.1 - off / np.minimum(pixel, spacing / 3), 0.0, 1.0)
    lines: NDArray[Any] = cover * np.clip(1.6 - 8.0 * pixel / spacing, 0.0, 1.0)
    return lines
