"""Shapes as triangles, for drawing."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import Floats

_AROUND = 28
_MOST_FACES = 4000


class Triangles(NamedTuple):
    """Vertices (n, 3) in metres and faces (m, 3) as indices into them."""

    vertices: Floats
    faces: NDArray[np.int64]


def moved(points: Floats, pose: Floats | tuple[float, ...]) -> Floats:
    """(n, 3) points of a frame that lies at `pose` (x y z, qw qx qy qz), in the frame around it."""
    turned: Floats = points @ quat2mat(pose[3:7]).T + np.asarray(pose[:3])
    return turned


def drawn_shapes(entity: Entity) -> list[Shape]:
    """Shapes worth drawing: for the eye where there are such, else those that collide.

    A few small extras for the eye (a logo, a marker) do not hide the body.
    """
    seen = [shape for shape in entity.shapes if shape.rgba[3] > 0.1]
    visual = [shape for shape in seen if not shape.collides]
    solid = [shape for shape in seen if shape.collides]
    if visual and solid and _extent(visual) < 0.5 * _extent(solid):
        return seen
    return visual or solid


def shape_triangles(shape: Shape) -> Triangles:
    """A shape's triangles in its entity's frame; large meshes are simplified."""
    if shape.kind is ShapeKind.MESH:
        local = _mesh(shape)
    else:
        local = _primitive(shape.kind, tuple(float(x) for x in shape.size))
    return Triangles(moved(local.vertices, shape.pose), local.faces)


def balls(middles: Floats, radii: Floats) -> Floats:
    """(m, 3) corners of the triangles, one after the other, of small balls: octahedra cut once."""
    unit = _coarse_ball()
    corners: Floats = middles[:, None, :] + radii[:, None, None] * unit[None, :, :]
    return corners.reshape(-1, 3)


@lru_cache(maxsize=1)
def _coarse_ball() -> Floats:
    """(96, 3) corners of 32 triangles."""
    axes = np.eye(3)
    faces = [
        np.array([sx * axes[0], sy * axes[1], sz * axes[2]])
        for sx in (-1, 1)
        for sy in (-1, 1)
        for sz in (-1, 1)
    ]
    small = []
    for a, b, c in faces:
        ab, bc, ca = ((p + q) / math.sqrt(2.0) for p, q in ((a, b), (b, c), (c, a)))
        small += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.array(small).reshape(-1, 3)


def _extent(shapes: list[Shape]) -> float:
    points = np.concatenate([shape_triangles(shape).vertices for shape in shapes])
    return float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0


@lru_cache(maxsize=256)
def _primitive(kind: ShapeKind, size: tuple[float, ...]) -> Triangles:
    match kind:
        case ShapeKind.BOX:
            return _box(np.array(size) / 2)
        case ShapeKind.PLANE:
            x, y = (min(length / 2, 50.0) if length > 0 else 50.0 for length in size[:2])
            corners = np.array([[-x, -y, 0], [x, -y, 0], [x, y, 0], [-x, y, 0]], np.float64)
            return Triangles(corners, np.array([[0, 1, 2], [0, 2, 3]]))
        case ShapeKind.SPHERE:
            return _ball(np.full(3, size[0]), 0.0)
        case ShapeKind.ELLIPSOID:
            return _ball(np.array(size), 0.0)
        case ShapeKind.CAPSULE:
            return _ball(np.full(3, size[0]), size[1])
        case ShapeKind.CYLINDER:
            radius, half = size[0], size[1] / 2
            return _turned([(0.0, -half), (radius, -half), (radius, half), (0.0, half)])
        case _:
            return Triangles(np.empty((0, 3)), np.empty((0, 3), np.int64))


def _box(half: Floats) -> Triangles:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    faces = [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]  # fmt: skip
    return Triangles(signs * half, np.array(faces))


def _ball(radii: Floats, straight: float) -> Triangles:
    """A ball, stretched, its halves `straight` apart along z."""
    half = 0.5 * straight / float(radii[2])
    rise = np.linspace(0.0, math.pi / 2, _AROUND // 4 + 1)
    upper = [(math.cos(angle), math.sin(angle) + half) for angle in rise]
    lower = [(radius, -height) for radius, height in reversed(upper)]
    outline = lower + (upper if straight > 0.0 else upper[1:])
    unit = _turned(outline)
    return Triangles(unit.vertices * radii, unit.faces)


def _turned(outline: list[tuple[float, float]]) -> Triangles:
    """Turn an outline of (radius, z) around the z axis."""
    angles = np.arange(_AROUND) * (2 * math.pi / _AROUND)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rows = [np.column_stack([ring * radius, np.full(_AROUND, z)]) for radius, z in outline]
    faces = []
    for row in range(len(outline) - 1):
        a = row * _AROUND + np.arange(_AROUND)
        b = row * _AROUND + (np.arange(_AROUND) + 1) % _AROUND
        faces += [
            np.column_stack([a, b, b + _AROUND]),
            np.column_stack([a, b + _AROUND, a + _AROUND]),
        ]
    return Triangles(np.concatenate(rows), np.concatenate(faces))


def _mesh(shape: Shape) -> Triangles:
    if shape.vertices is None or shape.faces is None or not len(shape.faces):
        return Triangles(np.empty((0, 3)), np.empty((0, 3), np.int64))
    mesh = Triangles(np.asarray(shape.vertices, np.float64), np.asarray(shape.faces, np.int64))
    cells = 64
    while len(mesh.faces) > _MOST_FACES and cells >= 8:
        mesh = _merged(Triangles(shape.vertices, np.asarray(shape.faces, np.int64)), cells)
        cells //= 2
    return mesh


def _merged(mesh: Triangles, cells: int) -> Triangles:
    """Merge the vertices of each cell of a grid, `cells` along the longest side."""
    low = mesh.vertices.min(axis=0)
    step = max(float(np.ptp(mesh.vertices, axis=0).max()) / cells, 1e-9)
    keys = np.floor((mesh.vertices - low) / step).astype(np.int64)
    flat = (keys[:, 0] * (cells + 1) + keys[:, 1]) * (cells + 1) + keys[:, 2]
    _, group = np.unique(flat, return_inverse=True)
    counts = np.bincount(group)
    sums = [np.bincount(group, mesh.vertices[:, i]) for i in range(3)]
    faces = group[mesh.faces]
    whole = (
        (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    )
    _, first = np.unique(np.sort(faces[whole], axis=1), axis=0, return_index=True)
    return Triangles(np.stack(sums, axis=1) / counts[:, None], faces[whole][np.sort(first)])
