"""Paints a scene: colours, light, shadows, a grid on the ground and outlines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.view.report.camera import Camera
from hetwin_suite.view.report.ground import paint_ground
from hetwin_suite.view.report.light import Sun
from hetwin_suite.view.report.raster import rasterize

FINER = 2
"""Bodies are drawn this many times finer in each direction, then averaged."""

_LINE = 5


@dataclass(frozen=True)
class Body:
    """Something to paint.

    Attributes:
        corners: (m, 3, 3) its triangles' corners in the world, in m.
        colour: red, green, blue, each 0 to 1.
        outlined: draw a line of the same colour around it.
    """

    corners: Floats
    colour: tuple[float, float, float]
    outlined: bool = False


def paint(
    bodies: list[Body], camera: Camera, ground: float, centre: Floats, radius: float
) -> Image.Image:
    """Paint bodies over a transparent background.

    Args:
        bodies: what to paint.
        camera: from where, a pinhole; its pixels are those of the picture times `FINER`.
        ground: height of the ground in m.
        centre: (3,) middle of the region in which things cast shadows.
        radius: its radius in m.
    """
    corners = np.concatenate([np.empty((0, 3, 3)), *(body.corners for body in bodies)])
    owner = np.repeat(np.arange(len(bodies)), [len(body.corners) for body in bodies])
    sun = Sun(corners, camera, centre, radius)
    front = _average(_paint_bodies(bodies, corners, owner, camera, sun))
    back = paint_ground(camera, FINER, ground, sun)
    return _image(front + back * (1.0 - front[:, :, 3:]))


def _paint_bodies(
    bodies: list[Body], corners: Floats, owner: NDArray[np.int64], camera: Camera, sun: Sun
) -> NDArray[np.float32]:
    depth, number = rasterize(corners, camera)
    picture = np.zeros((number.size, 4), np.float32)
    if not bodies:
        return picture.reshape(*number.shape, 4)
    normals = _normals(corners, camera)
    colours = np.ones((len(corners), 4), np.float32)
    colours[:, :3] = np.array([body.colour for body in bodies], np.float32)[owner]
    towards_sun = np.clip(normals @ sun.direction.astype(np.float32), 0.0, None)
    sky, glow = colours.copy(), colours.copy()
    sky[:, :3] *= 0.56 + 0.14 * normals[:, 2:]
    glow[:, :3] *= 0.46 * towards_sun[:, None]
    glow[:, 3] = 0.0
    lit = _lit(depth, number, normals, camera, sun)
    pixels = np.flatnonzero(number >= 0)
    faces = number.reshape(-1)[pixels]
    share = lit.repeat(FINER, axis=0).repeat(FINER, axis=1).reshape(-1)[pixels]
    picture[pixels] = sky[faces] + glow[faces] * share[:, None]
    seen = np.full(number.size, -1, np.int16)
    seen[pixels] = owner.astype(np.int16)[faces]
    picture = picture.reshape(*number.shape, 4)
    _outline(picture, seen.reshape(number.shape), bodies)
    return picture


def _lit(
    depth: NDArray[np.float32],
    number: NDArray[np.int64],
    normals: NDArray[np.float32],
    camera: Camera,
    sun: Sun,
) -> NDArray[np.float32]:
    """Share of the sun for each pixel of the picture: shadows are soft, the finer pixels need no own."""
    coarse = number[::FINER, ::FINER]
    pixels = np.flatnonzero(coarse >= 0)
    rows, columns = np.divmod(pixels, coarse.shape[1])
    far = depth[::FINER, ::FINER].reshape(-1)[pixels]
    points = camera.points(columns * FINER, rows * FINER, far)
    lit = np.ones(coarse.size, np.float32)
    lit[pixels] = sun.lit(points, normals[coarse.reshape(-1)[pixels]])
    return lit.reshape(coarse.shape)


def _normals(corners: Floats, camera: Camera) -> NDArray[np.float32]:
    """(m, 3) unit normals, turned to the camera: meshes do not say which side is outside."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    away = ((a - camera.eye) * normals).sum(axis=1) > 0
    normals[away] *= -1.0
    return normals.astype(np.float32)


def _outline(picture: NDArray[np.float32], seen: NDArray[np.int16], bodies: list[Body]) -> None:
    """Darken where one body ends, and draw a line of its own colour around an outlined one."""
    edge = np.zeros(seen.shape, bool)
    edge[:, 1:] |= seen[:, 1:] != seen[:, :-1]
    edge[1:] |= seen[1:] != seen[:-1]
    edge &= seen >= 0
    picture.reshape(-1, 4)[np.flatnonzero(edge)] *= np.array([0.75, 0.75, 0.75, 1.0], np.float32)
    for index, body in enumerate(bodies):
        rows, columns = np.nonzero(seen == index) if body.outlined else ((), ())
        if len(rows):
            part = (
                slice(max(0, min(rows) - _LINE - 1), max(rows) + _LINE + 2),
                slice(max(0, min(columns) - _LINE - 1), max(columns) + _LINE + 2),
            )
            inside = seen[part] == index
            picture[part][_grown(inside, _LINE) & ~inside] = (*body.colour, 1.0)


def _grown(mask: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    grown = mask.copy()
    for dy in range(-by, by + 1):
        for dx in range(-by, by + 1):
            if dx * dx + dy * dy <= by * by:
                grown |= np.roll(mask, (dy, dx), (0, 1))
    return grown


def _average(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """Average blocks of pixels; their colours are zero where they cover nothing."""
    total = np.zeros((picture.shape[0] // FINER, picture.shape[1] // FINER, 4), np.float32)
    for row in range(FINER):
        for column in range(FINER):
            total += picture[row::FINER, column::FINER]
    total /= FINER**2
    return total


def _image(picture: NDArray[np.float32]) -> Image.Image:
    picture[:, :, :3] /= np.maximum(picture[:, :, 3:], 1e-6)
    return Image.fromarray((np.clip(picture, 0.0, 1.0) * 255 + 0.5).astype(np.uint8), "RGBA")
