"""The distance of an object from the outline of a static entity, such as a tray, seen from above."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from hetwin_suite.model import Entity, Floats, Shape, ShapeKind, import_library, relative_to, rotate

GRAVITY = 9.81
_ANGLES = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)


class Outline:
    """The convex outline of an entity from above, in its frame, and the height of its highest part.

    Args:
        entity: an entity with collision shapes.
    """

    def __init__(self, entity: Entity) -> None:
        points = np.vstack([_points(shape) for shape in entity.shapes if shape.collides])
        spatial: Any = import_library("learn", ("scipy.spatial",), "outlines need SciPy")
        self._edges: Floats = np.asarray(spatial.ConvexHull(points[:, :2]).equations)
        self.top = float(points[:, 2].max())

    def inside(self, entity_pose: Floats, object_pose: Floats) -> float:
        """Return how far inside the outline an object would land if it were released [m]; negative outside.

        Args:
            entity_pose: (13,) pose and twist of the entity.
            object_pose: (13,) pose and twist of the object.
        """
        height = object_pose[2] - entity_pose[2] - self.top
        landing_pose = np.array(object_pose, float)
        landing_pose[:2] += object_pose[7:9] * sqrt(2.0 * max(0.0, height) / GRAVITY)
        landing_point = relative_to(entity_pose, landing_pose)[:2]
        return -float(np.max(self._edges[:, :2] @ landing_point + self._edges[:, 2]))


def has_outline(entity: Entity) -> bool:
    """Whether the entity has collision shapes, and all of them are bounded."""
    shapes = [shape for shape in entity.shapes if shape.collides]
    return bool(shapes) and all(shape.kind is not ShapeKind.PLANE for shape in shapes)


def _points(shape: Shape) -> Floats:
    """Return (n, 3) points on a shape in the entity's frame [m]; their hull approximates the shape."""
    pose = np.zeros(13)
    pose[:7] = shape.pose
    rotation = pose[3:7].tolist()
    return np.array([pose[:3] + rotate(rotation, point) for point in _local_points(shape).tolist()])


def _local_points(shape: Shape) -> Floats:
    if shape.vertices is not None:
        return np.asarray(shape.vertices)
    size = shape.size
    if shape.kind in (ShapeKind.CYLINDER, ShapeKind.CAPSULE):
        half = size[1] / 2 + (size[0] if shape.kind is ShapeKind.CAPSULE else 0.0)
        ring = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)]) * size[0]
        return np.vstack([np.column_stack([ring, np.full(len(ring), z)]) for z in (-half, half)])
    half_sizes = np.array(size) / 2 if shape.kind is ShapeKind.BOX else np.resize(size, 3)
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).T.reshape(-1, 3)
    return np.asarray(corners * half_sizes)
