"""How high objects are above what is under them, from shapes and poses alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.episode import Episode

_MOST_POINTS = 400
_AT_REST = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


class _Top(NamedTuple):
    low: Floats
    high: Floats


def clearance(episode: Episode, entity: str) -> Floats | None:
    """(n,) height of an object's lowest point above the highest static surface under its middle, in m.

    Static shapes count with their bounding boxes. Small negative numbers mean that the object is in the
    surface. None if the object has no shape; not a number where nothing static is under it.
    """
    shapes = [s for s in episode.layout.entity(entity).shapes if s.collides and _is_solid(s)]
    if not shapes:
        return None
    pose = episode.pose(entity)
    w, x, y, z = pose[:, 3:7].T
    third_row = np.stack(
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1
    )
    lowest = pose[:, 2] + np.min([_lowest(shape, third_row) for shape in shapes], axis=0)
    support = np.full(len(pose), -np.inf)
    for top in _tops(episode):
        under = ((pose[:, :2] >= top.low[:2]) & (pose[:, :2] <= top.high[:2])).all(axis=1)
        under &= pose[:, 2] > top.high[2]
        support = np.where(under, np.maximum(support, top.high[2]), support)
    return np.where(np.isfinite(support), lowest - support, np.nan)


def _tops(episode: Episode) -> list[_Top]:
    tops = []
    for entity in episode.layout.of_kind(EntityKind.STATIC):
        has_pose = episode.layout.has(entity.name, "pose")
        pose = episode.pose(entity.name)[0, :7] if has_pose else _AT_REST
        for shape in entity.shapes:
            if shape.kind is ShapeKind.PLANE:
                height = float(pose[2] + shape.pose[2])
                tops.append(_Top(np.full(3, -np.inf), np.array([np.inf, np.inf, height])))
            elif shape.collides and _is_solid(shape):
                axes = quat2mat(pose[3:7])
                low, high = pose[:3] + _lowest(shape, axes), pose[:3] - _lowest(shape, -axes)
                tops.append(_Top(low, high))
    return tops


def _is_solid(shape: Shape) -> bool:
    return shape.kind is not ShapeKind.PLANE and (
        shape.kind is not ShapeKind.MESH or (shape.vertices is not None and len(shape.vertices) > 0)
    )


def _lowest(shape: Shape, directions: Floats) -> Floats:
    """(n,) how far a shape reaches against (n, 3) unit directions in its entity's frame: the least of its products."""
    middle = directions @ np.asarray(shape.pose[:3])
    local = directions @ quat2mat(shape.pose[3:7])
    size = np.asarray(shape.size, np.float64)
    flat = np.linalg.norm(local[:, :2], axis=1)
    match shape.kind:
        case ShapeKind.BOX:
            reach = np.abs(local) @ (size / 2)
        case ShapeKind.SPHERE:
            reach = np.full(len(local), size[0])
        case ShapeKind.ELLIPSOID:
            reach = np.linalg.norm(local * size, axis=1)
        case ShapeKind.CYLINDER:
            reach = size[0] * flat + size[1] / 2 * np.abs(local[:, 2])
        case ShapeKind.CAPSULE:
            reach = size[0] + size[1] / 2 * np.abs(local[:, 2])
        case _:
            assert shape.vertices is not None
            points = shape.vertices[:: max(1, len(shape.vertices) // _MOST_POINTS)]
            reach = -(local @ points.T).min(axis=1)
    lowest: Floats = middle - reach
    return lowest
