"""The scene as RViz markers."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Point, Pose
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from hetwin_suite.ensemble.layout import EntityKind, Layout
from hetwin_suite.ensemble.poses import multiply, rotate
from hetwin_suite.ensemble.shapes import Shape, ShapeKind
from hetwin_suite.ensemble.snapshot import Snapshot
from hetwin_suite.ensemble.transport.messages import fill_time
from hetwin_suite.ensemble.values import WORLD

SHOWN = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.LINK)


class MarkerWriter:
    """Makes one marker per visible shape.

    Args:
        layout: the scene's layout.
    """

    def __init__(self, layout: Layout) -> None:
        self._rows = [
            (entity.name, shape, _marker(entity.name, number, shape))
            for entity in layout.of_kind(*SHOWN)
            if layout.has(entity.name, "pose")
            for number, shape in enumerate(entity.shapes)
        ]

    def markers(self, scene: Snapshot) -> MarkerArray:
        """All markers at the scene's time, in the frame ``world``."""
        for name, shape, marker in self._rows:
            fill_time(marker.header.stamp, scene.time_ns)
            _fill_pose(marker.pose, scene.pose(name).tolist(), shape.pose)
        return MarkerArray(markers=[marker for _, _, marker in self._rows])


def _marker(name: str, number: int, shape: Shape) -> Marker:
    marker = Marker(ns=name, id=number, action=Marker.ADD)
    marker.header.frame_id = WORLD
    r, g, b, a = (float(x) for x in shape.rgba)
    marker.color = ColorRGBA(r=r, g=g, b=b, a=a)
    marker.type, scale = _type_and_scale(shape)
    marker.scale.x, marker.scale.y, marker.scale.z = scale
    if shape.vertices is not None and shape.faces is not None:
        marker.points = [
            Point(x=x, y=y, z=z) for x, y, z in shape.vertices[shape.faces.ravel()].tolist()
        ]
    return marker


def _type_and_scale(shape: Shape) -> tuple[int, tuple[float, float, float]]:
    size = [float(x) for x in shape.size]
    match shape.kind:
        case ShapeKind.BOX:
            return Marker.CUBE, (size[0], size[1], size[2])
        case ShapeKind.SPHERE:
            return Marker.SPHERE, (2 * size[0], 2 * size[0], 2 * size[0])
        case ShapeKind.ELLIPSOID:
            return Marker.SPHERE, (2 * size[0], 2 * size[1], 2 * size[2])
        case ShapeKind.CYLINDER:
            return Marker.CYLINDER, (2 * size[0], 2 * size[0], size[1])
        case ShapeKind.CAPSULE:
            return Marker.CYLINDER, (2 * size[0], 2 * size[0], size[1] + 2 * size[0])
        case ShapeKind.PLANE:
            return Marker.CUBE, (size[0], size[1], 1e-3)
        case ShapeKind.MESH:
            return Marker.TRIANGLE_LIST, (1.0, 1.0, 1.0)


def _fill_pose(message: Pose, body: list[float], local: Any) -> None:
    offset = rotate(body[3:7], local[:3])
    position, orientation = message.position, message.orientation
    position.x, position.y, position.z = (body[i] + offset[i] for i in range(3))
    w, x, y, z = multiply(body[3:7], local[3:7])
    orientation.w, orientation.x, orientation.y, orientation.z = w, x, y, z
