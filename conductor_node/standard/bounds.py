"""Bounding boxes of entities, and whether a region overlaps them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3
from simulation_interfaces.msg import Bounds

from conductor_node.standard.service_results import failed, unsupported
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.poses import conjugate, rotate
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import Floats


def box_of(entity: Entity) -> Floats | None:
    """(2, 3) lower and upper corner in the entity's frame [m]; None if it has no shape."""
    corners = [corner for shape in entity.shapes for corner in _corners(shape)]
    if not corners:
        return None
    return np.array([np.min(corners, axis=0), np.max(corners, axis=0)])


def fill_box(message: Any, box: Floats | None) -> Any:
    """Fill in ``Bounds`` with a box: its upper corner, then its lower one."""
    message.type = Bounds.TYPE_EMPTY if box is None else Bounds.TYPE_BOX
    if box is not None:
        message.points = [Vector3(x=x, y=y, z=z) for x, y, z in box[::-1].tolist()]
    return message


class Region:
    """The region of a filter, in the world frame.

    Args:
        message: ``Bounds``.

    Raises:
        RequestRefused: if it is no region, or of a kind that is not known.
    """

    def __init__(self, message: Any) -> None:
        points = [(p.x, p.y, p.z) for p in message.points]
        kind = message.type
        if kind not in (Bounds.TYPE_SPHERE, Bounds.TYPE_BOX):
            raise unsupported("bounds of this type are not known; a sphere or a box is")
        if len(points) != 2:
            raise failed(f"these bounds have {len(points)} points; expected two")
        self._is_sphere = kind == Bounds.TYPE_SPHERE
        self._points = np.array(points)

    def overlaps(self, box: Floats, pose: Floats) -> bool:
        """Whether a box at a pose overlaps the region; of two boxes those along the world's axes are compared."""
        place, turn = pose[:3], pose[3:7].tolist()
        if self._is_sphere:
            centre = rotate(conjugate(turn), (self._points[0] - place).tolist())
            nearest = np.clip(centre, box[0], box[1])
            return bool(np.linalg.norm(nearest - centre) <= self._points[1][0])
        corners = [np.add(place, rotate(turn, c)) for c in product(*box.T.tolist())]
        lower, upper = np.min(corners, axis=0), np.max(corners, axis=0)
        least, most = self._points.min(axis=0), self._points.max(axis=0)
        return bool((lower <= most).all() and (least <= upper).all())


def _corners(shape: Shape) -> Iterator[Floats]:
    """Points that span a shape, in the entity's frame; for round shapes the corners of their bounding box."""
    place, turn = shape.pose[:3], shape.pose[3:7]
    if shape.vertices is not None:
        points = shape.vertices.tolist()
    else:
        points = list(product(*((-half, half) for half in _halves(shape))))
    for point in points:
        yield np.add(place, rotate(turn, point))


def _halves(shape: Shape) -> tuple[float, float, float]:
    size = shape.size
    match shape.kind:
        case ShapeKind.BOX:
            return size[0] / 2, size[1] / 2, size[2] / 2
        case ShapeKind.SPHERE:
            return size[0], size[0], size[0]
        case ShapeKind.ELLIPSOID:
            return size[0], size[1], size[2]
        case ShapeKind.CYLINDER:
            return size[0], size[0], size[1] / 2
        case ShapeKind.CAPSULE:
            return size[0], size[0], size[1] / 2 + size[0]
        case ShapeKind.PLANE:
            return size[0] / 2, size[1] / 2, 0.0
        case ShapeKind.MESH:  # a mesh without vertices is empty
            return 0.0, 0.0, 0.0
