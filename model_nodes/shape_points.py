"""Points whose convex hull is a shape, from which the extents of an entity are measured."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np

from hetwin_core.ensemble.scene.poses import rotate
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind

_CIRCLE = 32
"""Number of points on a circle."""


def points_of(shapes: Iterable[Shape]) -> Floats:
    """Return (n, 3) points in the entity's frame [m] whose convex hull contains all shapes except planes.

    The hull is exact for boxes, meshes and cylinders up to their polygons; spheres and ellipsoids count as their
    bounding boxes, capsules as cylinders.
    """
    points = [_placed(shape) for shape in shapes if shape.kind is not ShapeKind.PLANE]
    return np.concatenate(points) if points else np.zeros((0, 3))


def _placed(shape: Shape) -> Floats:
    rotated: Floats = np.array([rotate(shape.pose[3:7], p) for p in _local_points(shape).tolist()])
    rotated += np.array(shape.pose[:3])
    return rotated


def _local_points(shape: Shape) -> Floats:
    if shape.kind is ShapeKind.MESH and shape.vertices is not None:
        return shape.vertices
    if shape.kind in (ShapeKind.CYLINDER, ShapeKind.CAPSULE):
        return _two_rings(shape)
    corners: Floats = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    lengths = np.array(shape.size) if shape.kind is ShapeKind.BOX else 2 * np.array(shape.size)
    corners *= lengths
    return corners


def _two_rings(shape: Shape) -> Floats:
    radius, length = shape.size[0], shape.size[1]
    if shape.kind is ShapeKind.CAPSULE:
        length += 2 * radius
    turn = np.linspace(0.0, 2 * math.pi, _CIRCLE, endpoint=False)
    ring = np.stack([radius * np.cos(turn), radius * np.sin(turn), np.zeros(_CIRCLE)], axis=1)
    half = np.array([0.0, 0.0, length / 2])
    return np.concatenate([ring - half, ring + half])
