"""The scene's shapes as the markers of a log, each in the frame of its entity, so that they need to be written once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind, Layout, Slot
from hetwin_core.ensemble.scene.shapes import PARTICLE_RGBA, Shape, ShapeKind
from hetwin_core.ensemble.scene.values import Floats, Meaning, particles
from hetwin_core.ensemble.topics import MARKERS
from hetwin_core.projection.messages import header, message, stamp

SHOWN = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.LINK)
"""Kinds of entities whose shapes are shown."""

# Numbers of visualization_msgs/Marker.
_CUBE, _SPHERE, _CYLINDER, _SPHERE_LIST, _TRIANGLE_LIST = 1, 2, 3, 7, 11
_ADD, _DELETE = 0, 2


class MarkerGeometry(NamedTuple):
    """How a marker draws a shape.

    Attributes:
        type: of ``visualization_msgs/Marker``.
        scale: x, y, z [m]; 1 for triangles.
        points: (n, 3) corners of triangles, three for each [m]; empty for all other types.
    """

    type: int
    scale: tuple[float, float, float]
    points: Floats


def marker_geometry(shape: Shape) -> MarkerGeometry:
    """How a marker draws a shape; capsules become cylinders, as there is no such marker."""
    size = [float(x) for x in shape.size]
    points = np.empty((0, 3))
    match shape.kind:
        case ShapeKind.BOX:
            kind, scale = _CUBE, (size[0], size[1], size[2])
        case ShapeKind.SPHERE:
            kind, scale = _SPHERE, (2 * size[0], 2 * size[0], 2 * size[0])
        case ShapeKind.ELLIPSOID:
            kind, scale = _SPHERE, (2 * size[0], 2 * size[1], 2 * size[2])
        case ShapeKind.CYLINDER:
            kind, scale = _CYLINDER, (2 * size[0], 2 * size[0], size[1])
        case ShapeKind.CAPSULE:
            kind, scale = _CYLINDER, (2 * size[0], 2 * size[0], size[1] + 2 * size[0])
        case ShapeKind.PLANE:
            kind, scale = _CUBE, (size[0], size[1], 1e-3)
        case ShapeKind.MESH:
            kind, scale = _TRIANGLE_LIST, (1.0, 1.0, 1.0)
            if shape.vertices is not None and shape.faces is not None:
                points = np.asarray(shape.vertices[shape.faces.ravel()], np.float64)
    return MarkerGeometry(kind, scale, points)


def shape_markers(layout: Layout, time_ns: int) -> Any:
    """``visualization_msgs/MarkerArray`` with all shapes; who shows them moves them with the frames on ``/tf``."""
    markers = [
        _shape_marker(entity.name, number, shape, time_ns)
        for entity in layout.of_kind(*SHOWN)
        if layout.has(entity.name, "pose")
        for number, shape in enumerate(entity.shapes)
    ]
    return message(MARKERS.type, markers=markers)


def particle_slots(layout: Layout) -> list[Slot]:
    """Return the slots with the particles of entities that have a pose."""
    return [
        slot
        for slot in layout.slots
        if slot.attribute.meaning is Meaning.PARTICLES and layout.has(slot.entity, "pose")
    ]


class ParticleMarkers:
    """The particles of a scene as one list of spheres for each entity that has some.

    Args:
        layout: the scene's layout.
    """

    def __init__(self, layout: Layout) -> None:
        self._slots = particle_slots(layout)
        self._shown: list[bytes] = []

    @property
    def empty(self) -> bool:
        """Whether the scene can have no particles."""
        return not self._slots

    def changed(self, values: Floats) -> bool:
        """Whether a particle is elsewhere than in the markers that were made last, to the bit."""
        return self._content(values) != self._shown

    def _content(self, values: Floats) -> list[bytes]:
        return [
            values[slot.offset : slot.offset + slot.attribute.size].tobytes()
            for slot in self._slots
        ]

    def markers(self, time_ns: int, values: Floats) -> Any:
        """``visualization_msgs/MarkerArray`` at a time [ns], from all values of the scene."""
        self._shown = self._content(values)
        found = [_cloud(slot, time_ns, values) for slot in self._slots]
        return message(MARKERS.type, markers=found)


def _shape_marker(name: str, number: int, shape: Shape, time_ns: int) -> Any:
    geometry = marker_geometry(shape)
    return _marker(
        name,
        time_ns,
        ns=name,
        id=number,
        type=geometry.type,
        pose=_pose(shape.pose),
        scale=_vector(geometry.scale),
        color=_colour(shape.rgba),
        points=[_point(row) for row in geometry.points.tolist()],
    )


def _cloud(slot: Slot, time_ns: int, values: Floats) -> Any:
    """Without any particle the marker is deleted, as RViz accepts no list without points."""
    there = particles(values[slot.offset : slot.offset + slot.attribute.size])
    width = 2 * float(there[0, 6]) if len(there) else 0.0
    return _marker(
        slot.entity,
        time_ns,
        ns=f"{slot.entity} {slot.attribute.name}",
        id=0,
        type=_SPHERE_LIST,
        action=_ADD if len(there) else _DELETE,
        scale=_vector((width, width, width)),
        color=_colour(PARTICLE_RGBA),
        points=[_point(row) for row in there[:, :3].tolist()],
    )


def _marker(frame: str, time_ns: int, **fields: Any) -> Any:
    return empty_marker(frame, stamp(time_ns), **fields)


def empty_marker(frame: str, when: Any, **fields: Any) -> Any:
    """``visualization_msgs/Marker`` in a frame at a stamp, with these fields."""
    zero = message("builtin_interfaces/msg/Duration", sec=0, nanosec=0)
    rest: dict[str, Any] = {
        "action": _ADD,
        "pose": _pose((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
        "lifetime": zero,
        "frame_locked": True,
        "colors": [],
        "texture_resource": "",
        "texture": message(
            "sensor_msgs/msg/CompressedImage",
            header=header(0),
            format="",
            data=np.empty(0, np.uint8),
        ),
        "uv_coordinates": [],
        "text": "",
        "mesh_resource": "",
        "mesh_file": message(
            "visualization_msgs/msg/MeshFile", filename="", data=np.empty(0, np.uint8)
        ),
        "mesh_use_embedded_materials": False,
    }
    return message(
        "visualization_msgs/msg/Marker",
        header=message("std_msgs/msg/Header", stamp=when, frame_id=frame),
        **(rest | fields),
    )


def _pose(pose: Any) -> Any:
    """A ``geometry_msgs/Pose`` from x y z, qw qx qy qz."""
    x, y, z, qw, qx, qy, qz = (float(number) for number in pose)
    return message(
        "geometry_msgs/msg/Pose",
        position=_point((x, y, z)),
        orientation=message("geometry_msgs/msg/Quaternion", x=qx, y=qy, z=qz, w=qw),
    )


def _point(row: Any) -> Any:
    x, y, z = row
    return message("geometry_msgs/msg/Point", x=x, y=y, z=z)


def _vector(row: tuple[float, float, float]) -> Any:
    x, y, z = row
    return message("geometry_msgs/msg/Vector3", x=x, y=y, z=z)


def _colour(rgba: Any) -> Any:
    r, g, b, a = (float(number) for number in rgba)
    return message("std_msgs/msg/ColorRGBA", r=r, g=g, b=b, a=a)
