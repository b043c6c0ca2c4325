"""Which shapes of an entity are for the eye."""

from __future__ import annotations

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind

_VISIBLE = 0.1
_SMALL = 0.5
"""Shapes for the eye of less than this share of a body's extent are extras, which do not hide the body."""


def drawn_shapes(entity: Entity) -> list[Shape]:
    """Shapes worth drawing: for the eye where there are such, else those that collide.

    A few small extras for the eye (a logo, a marker) do not hide the body.
    """
    seen = [shape for shape in entity.shapes if shape.rgba[3] > _VISIBLE]
    visual = [shape for shape in seen if not shape.collides]
    solid = [shape for shape in seen if shape.collides]
    if visual and solid and _extent(visual) < _SMALL * _extent(solid):
        return seen
    return visual or solid


def shape_corners(shape: Shape) -> Floats:
    """(n, 3) points in the entity's frame between which the whole shape lies; planes have none."""
    local = _local_corners(shape)
    turned: Floats = local @ quat2mat(shape.pose[3:7]).T + np.asarray(shape.pose[:3])
    return turned


def _local_corners(shape: Shape) -> Floats:
    size = [float(x) for x in shape.size]
    match shape.kind:
        case ShapeKind.MESH:
            return np.empty((0, 3)) if shape.vertices is None else np.asarray(shape.vertices)
        case ShapeKind.PLANE:
            return np.empty((0, 3))
        case ShapeKind.BOX:
            half = np.array(size[:3]) / 2
        case ShapeKind.ELLIPSOID:
            half = np.array(size[:3])
        case ShapeKind.SPHERE:
            half = np.full(3, size[0])
        case ShapeKind.CYLINDER:
            half = np.array([size[0], size[0], size[1] / 2])
        case ShapeKind.CAPSULE:
            half = np.array([size[0], size[0], size[1] / 2 + size[0]])
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    return signs * half


def _extent(shapes: list[Shape]) -> float:
    points = np.concatenate([shape_corners(shape) for shape in shapes])
    return float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0
