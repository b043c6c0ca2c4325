"""Points of an object at which rays are aimed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.rotations import rotation_matrix
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import Floats

_NO_POINTS = (ShapeKind.PLANE,)


def points_in(shapes: Sequence[Shape], count: int) -> Floats:
    """Return (n, 3) points in an object's frame that are spread over it, the same ones at every call.

    Args:
        shapes: the object's; of a mesh, points on its surface.
        count: about so many points.
    """
    solid = [shape for shape in shapes if shape.kind not in _NO_POINTS]
    random = np.random.default_rng(0)
    share = max(1, round(count / max(1, len(solid))))
    rows = [_placed(shape, _points(shape, share, random)) for shape in solid]
    return np.vstack(rows) if rows else np.zeros((0, 3))


def _points(shape: Shape, count: int, random: np.random.Generator) -> Floats:
    """(count, 3) points in the shape's own frame."""
    if shape.kind is ShapeKind.MESH:
        assert shape.vertices is not None
        if shape.faces is None or not len(shape.faces):
            return np.asarray(shape.vertices[random.integers(len(shape.vertices), size=count)])
        corners = shape.vertices[shape.faces[random.integers(len(shape.faces), size=count)]]
        shares = random.dirichlet((1.0, 1.0, 1.0), count)
        return np.asarray(np.einsum("nc,ncd->nd", shares, corners))
    cube = random.uniform(-0.95, 0.95, (count, 3))
    if shape.kind is ShapeKind.BOX:
        return np.asarray(cube * np.array(shape.size) / 2.0)
    ball = cube / np.maximum(1.0, np.linalg.norm(cube, axis=1, keepdims=True))
    if shape.kind in (ShapeKind.SPHERE, ShapeKind.ELLIPSOID):
        return np.asarray(ball * np.array(shape.size))
    radius, length = shape.size  # a cylinder or a capsule
    flat = cube[:, :2] / np.maximum(1.0, np.linalg.norm(cube[:, :2], axis=1, keepdims=True))
    return np.column_stack((radius * flat, length / 2.0 * cube[:, 2]))


def _placed(shape: Shape, points: Floats) -> Floats:
    """Points of a shape's frame in the entity's."""
    turned = points @ rotation_matrix(np.array(shape.pose[3:])).T
    return np.asarray(turned + np.array(shape.pose[:3]))
