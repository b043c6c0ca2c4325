"""How high objects are above what is under them, from shapes and poses alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.shapes import ShapeKind
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.projection.episode import Episode
from hetwin_suite.view.report.triangles import moved, shape_triangles

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
    shapes = [s for s in episode.layout.entity(entity).shapes if s.collides]
    points = [shape_triangles(shape).vertices for shape in shapes]
    if not points or not sum(len(part) for part in points):
        return None
    outline = np.concatenate(points)
    outline = outline[:: max(1, len(outline) // _MOST_POINTS)]
    pose = episode.pose(entity)
    w, x, y, z = pose[:, 3:7].T
    third_row = np.stack(
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1
    )
    lowest = pose[:, 2] + (third_row @ outline.T).min(axis=1)
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
            vertices = shape_triangles(shape).vertices
            if not len(vertices) or not (shape.collides or shape.kind is ShapeKind.PLANE):
                continue
            corners = moved(vertices, pose)
            tops.append(_Top(corners.min(axis=0), corners.max(axis=0)))
    return tops
