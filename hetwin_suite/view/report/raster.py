"""Draws triangles into a depth buffer, without a graphics card.

Triangles of similar size are handled together: each gets the same square of pixels, and numpy decides for all
of them at once which pixels lie inside and how deep. The nearest triangle of each pixel is found by taking the
minimum of one integer that holds the depth in its upper and the triangle's number in its lower half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.view.report.camera import Camera

_EMPTY = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_LARGEST_TILE = 32
_BATCH = 1_500_000


def rasterize(
    corners: Floats, camera: Camera, near: float = 1e-3
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Find what each pixel sees.

    Args:
        corners: (m, 3, 3) corners of the triangles in the world, in m.
        camera: from where.
        near: triangles with a corner closer than this, in m, are left out.

    Returns:
        (height, width) depths along the view in m, infinite where nothing is; (height, width) numbers of the
        triangles, -1 where none is.
    """
    buffer = np.full(camera.width * camera.height, _EMPTY, np.uint64)
    points, depths = camera.project(corners.reshape(-1, 3))
    points, depths = points.reshape(-1, 3, 2), depths.reshape(-1, 3)
    area = _area(points)
    size = np.array([camera.width, camera.height])
    low = np.clip(np.floor(points.min(axis=1)), 0, size).astype(np.int64)
    high = np.clip(np.ceil(points.max(axis=1)), 0, size).astype(np.int64)
    spans = high - low
    shown = (depths.min(axis=1) > near) & (np.abs(area) > 1e-9) & (spans > 0).all(axis=1)
    tiles = _Tiles(points, depths, area, camera, buffer)
    longest = np.where(shown, spans.max(axis=1), 0)
    tile = 1
    while tile <= _LARGEST_TILE:
        tiles.draw(np.flatnonzero((longest > tile // 2) & (longest <= tile)), low, tile)
        tile *= 2
    for index in np.flatnonzero(longest > _LARGEST_TILE).tolist():
        tiles.draw_large(index, low[index], high[index])
    return _unpack(buffer, camera)


def _area(points: Floats) -> Floats:
    a, b, c = points[:, 0], points[:, 1], points[:, 2]
    area: Floats = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (
        c[:, 0] - a[:, 0]
    )
    return area


def _unpack(
    buffer: NDArray[np.uint64], camera: Camera
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    empty = buffer == _EMPTY
    depth = (buffer >> np.uint64(32)).astype(np.uint32).view(np.float32)
    depth[empty] = np.inf
    number = (buffer & np.uint64(0xFFFF_FFFF)).astype(np.int64)
    number[empty] = -1
    shape = (camera.height, camera.width)
    return depth.reshape(shape), number.reshape(shape)


class _Tiles:
    """Triangles on the screen, with the planes of their edges and of their inverse depth."""

    def __init__(
        self,
        points: Floats,
        depths: Floats,
        area: Floats,
        camera: Camera,
        buffer: NDArray[np.uint64],
    ) -> None:
        self._camera = camera
        self._buffer = buffer
        with np.errstate(divide="ignore", invalid="ignore"):
            edges = []
            for i in range(3):
                p, q = points[:, (i + 1) % 3], points[:, (i + 2) % 3]
                step = np.stack([p[:, 1] - q[:, 1], q[:, 0] - p[:, 0]], axis=1) / area[:, None]
                edges.append(np.column_stack([step, -(step * p).sum(axis=1)]))
            self._edges = np.stack(edges, axis=1)
            # Along the screen the inverse depth is linear for a pinhole, the depth itself for parallel rays.
            weights = 1.0 / depths if camera.opening > 0.0 else depths
            self._depth = np.einsum("mij,mi->mj", self._edges, weights)

    def draw(self, chosen: NDArray[np.intp], low: NDArray[np.int64], tile: int) -> None:
        """Draw triangles that fit into squares of `tile` pixels, from their lowest corners."""
        grid = np.arange(tile)
        dx, dy = np.tile(grid, tile), np.repeat(grid, tile)
        for start in range(0, len(chosen), max(1, _BATCH // tile**2)):
            part = chosen[start : start + max(1, _BATCH // tile**2)]
            x = low[part, 0, None] + dx
            y = low[part, 1, None] + dy
            edges = self._edges[part][:, :, :, None]
            px, py = x + 0.5, y + 0.5
            inside = (x < self._camera.width) & (y < self._camera.height)
            for i in range(3):
                inside &= edges[:, i, 0] * px + edges[:, i, 1] * py + edges[:, i, 2] >= 0.0
            chosen_pixels = np.flatnonzero(inside)
            self._put(
                part[chosen_pixels // len(dx)],
                x.reshape(-1)[chosen_pixels],
                y.reshape(-1)[chosen_pixels],
            )

    def draw_large(self, index: int, low: NDArray[np.int64], high: NDArray[np.int64]) -> None:
        """Draw one triangle over the rectangle that it fills."""
        x, y = np.arange(low[0], high[0]), np.arange(low[1], high[1])
        inside = np.ones((len(y), len(x)), bool)
        for a, b, c in self._edges[index]:
            inside &= a * (x + 0.5)[None, :] >= -(b * (y + 0.5) + c)[:, None]
        rows, columns = np.divmod(np.flatnonzero(inside), len(x))
        self._put(np.full(1, index), x[columns], y[rows])

    def _put(self, numbers: NDArray[np.int64], x: NDArray[np.int64], y: NDArray[np.int64]) -> None:
        plane = self._depth[numbers]
        depth = plane[:, 0] * (x + 0.5) + plane[:, 1] * (y + 0.5) + plane[:, 2]
        if self._camera.opening > 0.0:
            depth = 1.0 / np.maximum(depth, 1e-9)
        bits = np.maximum(depth, 0.0).astype(np.float32).view(np.uint32).astype(np.uint64)
        keys = (bits << np.uint64(32)) | numbers.astype(np.uint64)
        np.minimum.at(self._buffer, y * self._camera.width + x, keys)
