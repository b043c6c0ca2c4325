"""Axis-aligned bounding boxes of many entities at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, Layout
from hetwin_core.ensemble.scene.poses import rotation_matrices, rotation_matrix
from hetwin_core.ensemble.scene.values import POSE, Floats, Shape, ShapeKind


class BoundingBoxes:
    """Axis-aligned boxes around entities in the world frame, computed from the boxes of their shapes.

    Args:
        layout: layout of the scene.
        names: names of the entities; those without colliding shapes are left out.
    """

    def __init__(self, layout: Layout, names: Sequence[str]) -> None:
        local = {name: local_box(layout.entity(name)) for name in names}
        self.names = [name for name, box in local.items() if box is not None]
        boxes = [box for box in local.values() if box is not None]
        self._middles: Floats = np.array([(lo + hi) / 2 for lo, hi in boxes]).reshape(-1, 3)
        self._halves: Floats = np.array([(hi - lo) / 2 for lo, hi in boxes]).reshape(-1, 3)
        self._radii: Floats = np.linalg.norm(np.abs(self._middles) + self._halves, axis=1)
        starts = [layout.range_of(name, POSE.name).start for name in self.names]
        self._pose_indices = np.array(starts, np.intp)[:, None] + np.arange(POSE.size)

    def __len__(self) -> int:
        return len(self.names)

    def poses(self, values: Floats) -> Floats:
        """Return (n, 13) the entities' poses and twists from the scene's array of values."""
        poses: Floats = values[self._pose_indices]
        return poses

    def places(self, values: Floats) -> Floats:
        """Return (n, 3) the entities' positions [m]."""
        places: Floats = values[self._pose_indices[:, :3]]
        return places

    def around(
        self, poses: Floats, chosen: np.ndarray | slice = slice(None), ahead: float = 0.0
    ) -> Floats:
        """Return (m, 6) lower and upper corners [m] of the chosen entities' boxes at `poses` (m, 13).

        If `ahead` [s] is given, the boxes contain all that the entities sweep in that time at their current velocity.
        """
        rotation = np.ascontiguousarray(rotation_matrices(poses[:, 3:7]))
        middle = poses[:, :3] + (rotation @ self._middles[chosen][:, :, None])[:, :, 0]
        half = (np.abs(rotation) @ self._halves[chosen][:, :, None])[:, :, 0]
        corners = np.concatenate([middle - half, middle + half], axis=1)
        if ahead:
            # In a rotation no point moves further than the farthest corner.
            travel = poses[:, 7:10] * ahead
            angular_speed = np.sqrt(np.einsum("ij,ij->i", poses[:, 10:13], poses[:, 10:13]))
            margin = (angular_speed * self._radii[chosen] * ahead)[:, None]
            corners[:, :3] += np.minimum(travel, 0.0) - margin
            corners[:, 3:] += np.maximum(travel, 0.0) + margin
        return corners

    def around_all(self, values: Floats, ahead: float = 0.0) -> Floats:
        """Return (6,) lower and upper corner [m] of one box around all entities; inverted if there are none."""
        if not self.names:
            return np.array([np.inf] * 3 + [-np.inf] * 3)
        boxes = self.around(self.poses(values), ahead=ahead)
        return np.concatenate([boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)])


def local_box(entity: Entity) -> tuple[Floats, Floats] | None:
    """Return lower and upper corner (3,) of the box around the colliding shapes in the entity's frame [m], or None."""
    boxes = [_box(shape) for shape in entity.shapes if shape.collides]
    if not boxes:
        return None
    lower = np.min([lo for lo, _ in boxes], axis=0)
    upper = np.max([hi for _, hi in boxes], axis=0)
    return lower, upper


def _box(shape: Shape) -> tuple[Floats, Floats]:
    rotation = rotation_matrix(shape.pose[3:7])
    position = np.array(shape.pose[:3])
    if shape.kind is ShapeKind.MESH and shape.vertices is not None:
        points = shape.vertices @ rotation.T + position
        return points.min(axis=0), points.max(axis=0)
    half = np.abs(rotation) @ _half(shape)
    return position - half, position + half


def _half(shape: Shape) -> Floats:
    size = shape.size
    match shape.kind:
        case ShapeKind.BOX:
            return np.array(size) / 2
        case ShapeKind.SPHERE:
            return np.full(3, size[0])
        case ShapeKind.CYLINDER:
            return np.array([size[0], size[0], size[1] / 2])
        case ShapeKind.CAPSULE:
            return np.array([size[0], size[0], size[1] / 2 + size[0]])
        case ShapeKind.PLANE:
            return np.array([size[0] / 2, size[1] / 2, 0.0])
        case _:
            return np.array(size)
