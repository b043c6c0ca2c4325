"""Axis-aligned bounding boxes of many entities at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, Layout
from hetwin_core.ensemble.scene.poses import rotation_matrices, rotation_matrix
from hetwin_core.ensemble.scene.values import POSE, Floats, Shape, ShapeKind


class BoundingBoxes:
    """Axis-aligned boxes in the world around entities, computed from the boxes of their shapes.

    Args:
        layout: of the scene.
        names: of the entities; those without colliding shapes are left out.
    """

    def __init__(self, layout: Layout, names: Sequence[str]) -> None:
        local = {name: local_box(layout.entity(name)) for name in names}
        self.names = [name for name, box in local.items() if box is not None]
        boxes = [box for box in local.values() if box is not None]
        self._middles: Floats = np.array([(lo + hi) / 2 for lo, hi in boxes]).reshape(-1, 3)
        self._halves: Floats = np.array([(hi - lo) / 2 for lo, hi in boxes]).reshape(-1, 3)
        self._radii: Floats = np.linalg.norm(np.abs(self._middles) + self._halves, axis=1)
        starts = [layout.range_of(name, POSE.name).start for name in self.names]
        self._at = np.array(starts, np.intp)[:, None] + np.arange(POSE.size)

    def __len__(self) -> int:
        return len(self.names)

    def poses(self, values: Floats) -> Floats:
        """Return (n, 13) the entities' poses and twists, from all values of the scene."""
        poses: Floats = values[self._at]
        return poses

    def places(self, values: Floats) -> Floats:
        """Return (n, 3) the entities' positions [m]."""
        places: Floats = values[self._at[:, :3]]
        return places

    def around(
        self, poses: Floats, chosen: np.ndarray | slice = slice(None), ahead: float = 0.0
    ) -> Floats:
        """Return (m, 6) lower and upper corners [m] of the chosen entities at `poses` (m, 13).

        With `ahead` [s] the boxes contain all that the entities sweep in that time at their current velocity.
        """
        turn = np.ascontiguousarray(rotation_matrices(poses[:, 3:7]))
        middle = poses[:, :3] + (turn @ self._middles[chosen][:, :, None])[:, :, 0]
        half = (np.abs(turn) @ self._halves[chosen][:, :, None])[:, :, 0]
        corners = np.concatenate([middle - half, middle + half], axis=1)
        if ahead:
            # In a rotation no point moves further than the farthest corner.
            way = poses[:, 7:10] * ahead
            spin = np.sqrt(np.einsum("ij,ij->i", poses[:, 10:13], poses[:, 10:13]))
            wide = (spin * self._radii[chosen] * ahead)[:, None]
            corners[:, :3] += np.minimum(way, 0.0) - wide
            corners[:, 3:] += np.maximum(way, 0.0) + wide
        return corners

    def around_all(self, values: Floats, ahead: float = 0.0) -> Floats:
        """Return (6,) lower and upper corner [m] of one box around all; inverted if there are none."""
        if not self.names:
            return np.array([np.inf] * 3 + [-np.inf] * 3)
        boxes = self.around(self.poses(values), ahead=ahead)
        return np.concatenate([boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)])


def local_box(entity: Entity) -> tuple[Floats, Floats] | None:
    """Return the corners of the box around an entity's colliding shapes, in its frame; None without any."""
    boxes = [_box(shape) for shape in entity.shapes if shape.collides]
    if not boxes:
        return None
    lower = np.min([lo for lo, _ in boxes], axis=0)
    upper = np.max([hi for _, hi in boxes], axis=0)
    return lower, upper


def _box(shape: Shape) -> tuple[Floats, Floats]:
    turn = rotation_matrix(shape.pose[3:7])
    at = np.array(shape.pose[:3])
    if shape.kind is ShapeKind.MESH and shape.vertices is not None:
        points = shape.vertices @ turn.T + at
        return points.min(axis=0), points.max(axis=0)
    half = np.abs(turn) @ _half(shape)
    return at - half, at + half


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
