"""The distance of an object from the outline of a static entity, such as a tray, seen from above."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from hetwin_suite.model import Entity, Floats, Shape, ShapeKind, import_library, relative_to, rotate

GRAVITY = 9.81
_AROUND = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)


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

    def inside(self, entity: Floats, thing: Floats) -> float:
        """Return how far inside the outline an object would land if it were released [m]; negative outside.

        Args:
            entity: (13,) pose and twist of the entity.
            thing: (13,) pose and twist of the object.
        """
        height = thing[2] - entity[2] - self.top
        fallen = np.array(thing, float)
        fallen[:2] += thing[7:9] * sqrt(2.0 * max(0.0, height) / GRAVITY)
        place = relative_to(entity, fallen)[:2]
        return -float(np.max(self._edges[:, :2] @ place + self._edges[:, 2]))


def has_outline(entity: Entity) -> bool:
    """Whether the entity has collision shapes, and all of them are bounded."""
    shapes = [shape for shape in entity.shapes if shape.collides]
    return bool(shapes) and all(shape.kind is not ShapeKind.PLANE for shape in shapes)


def _points(shape: Shape) -> Floats:
    """Return (n, 3) points on a shape in the entity's frame [m]; their hull approximates the shape."""
    pose = np.zeros(13)
    pose[:7] = shape.pose
    turn = pose[3:7].tolist()
    return np.array([pose[:3] + rotate(turn, point) for point in _own_points(shape).tolist()])


def _own_points(shape: Shape) -> Floats:
    if shape.vertices is not None:
        return np.asarray(shape.vertices)
    size = shape.size
    if shape.kind in (ShapeKind.CYLINDER, ShapeKind.CAPSULE):
        half = size[1] / 2 + (size[0] if shape.kind is ShapeKind.CAPSULE else 0.0)
        ring = np.column_stack([np.cos(_AROUND), np.sin(_AROUND)]) * size[0]
        return np.vstack([np.column_stack([ring, np.full(len(ring), z)]) for z in (-half, half)])
    half_sizes = np.array(size) / 2 if shape.kind is ShapeKind.BOX else np.resize(size, 3)
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).T.reshape(-1, 3)
    return np.asarray(corners * half_sizes)
