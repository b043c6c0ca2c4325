"""Changes of a planning scene as messages of `moveit_msgs` and `shape_msgs`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from transforms3d.quaternions import qmult, rotate_vector

from hetwin_moveit.believed import PlacedObject, SceneReader
from hetwin_moveit.diff import Diff
from hetwin_suite.command import BadInput
from hetwin_suite.model import Floats, Shape, ShapeKind

BOX, SPHERE, CYLINDER = 1, 2, 3
"""`type` of a shape_msgs/SolidPrimitive."""
ADD, REMOVE, MOVE = 0, 1, 3
"""`operation` of a moveit_msgs/CollisionObject; its type is an octet."""
_ALONG, _AROUND = 8, 12
"""Numbers of rings from pole to pole, and of segments of each ring, in the mesh of an ellipsoid."""


class MessageTypes(NamedTuple):
    """Message classes, which are called without arguments."""

    scene: Callable[[], Any]
    object: Callable[[], Any]
    attached: Callable[[], Any]
    primitive: Callable[[], Any]
    mesh: Callable[[], Any]
    triangle: Callable[[], Any]
    plane: Callable[[], Any]
    pose: Callable[[], Any]
    point: Callable[[], Any]


def import_types() -> MessageTypes:
    """Import the messages.

    Raises:
        BadInput: if `moveit_msgs` or `shape_msgs` is not installed.
    """
    try:
        from geometry_msgs.msg import Point, Pose
        from moveit_msgs.msg import AttachedCollisionObject, CollisionObject, PlanningScene
        from shape_msgs.msg import Mesh, MeshTriangle, Plane, SolidPrimitive
    except ImportError as error:
        raise BadInput(
            f"MoveIt's messages cannot be imported: {error}",
            where="--viewer",
            found="moveit",
            expected="moveit_msgs and shape_msgs, from a sourced ROS 2 workspace",
        ) from None
    return MessageTypes(
        PlanningScene,
        CollisionObject,
        AttachedCollisionObject,
        SolidPrimitive,
        Mesh,
        MeshTriangle,
        Plane,
        Pose,
        Point,
    )


class MessageWriter:
    """Writes differences as messages.

    Args:
        believed: describes the objects of the scene.
        classes: message classes.
    """

    def __init__(self, believed: SceneReader, classes: MessageTypes) -> None:
        self._believed, self._types = believed, classes

    def diff(self, now: Mapping[str, PlacedObject], diff: Diff) -> Any:
        """Return a PlanningScene with `is_diff` set; MoveIt applies its attached objects before those of the world."""
        scene = self._types.scene()
        scene.is_diff = scene.robot_state.is_diff = True
        scene.robot_state.attached_collision_objects = [
            *(self._detached(name, hand) for name, hand in diff.detached.items()),
            *(self._attached(name, now[name]) for name in diff.attached),
        ]
        scene.world.collision_objects = [
            *(self._removed(name) for name in diff.removed),
            *(self._placed(name, now[name], ADD) for name in diff.added),
            *(self._placed(name, now[name], MOVE) for name in diff.moved),
        ]
        return scene

    def _attached(self, name: str, placed: PlacedObject) -> Any:
        message = self._types.attached()
        message.link_name = placed.frame
        message.object = self._placed(name, placed, ADD)
        message.touch_links = self._believed.touch_links(placed.hand)
        message.weight = self._believed.objects[name].mass
        return message

    def _detached(self, name: str, hand: str) -> Any:
        message = self._types.attached()
        message.link_name = self._believed.link_of(hand)
        message.object = self._removed(name)
        return message

    def _removed(self, name: str) -> Any:
        message = self._types.object()
        message.id = name
        message.operation = bytes([REMOVE])
        return message

    def _placed(self, name: str, placed: PlacedObject, operation: int) -> Any:
        message = self._types.object()
        message.header.frame_id = placed.frame or "world"
        message.id = name
        message.operation = bytes([operation])
        message.pose = self._pose(placed.pose)
        if operation == ADD:
            for shape in self._believed.shapes(name):
                self._add(message, shape, placed.padding)
        return message

    def _add(self, message: Any, shape: Shape, padding: float) -> None:
        """Add a shape to a CollisionObject."""
        match shape.kind:
            case ShapeKind.PLANE:
                plane = self._types.plane()
                plane.coef = [0.0, 0.0, 1.0, -padding]
                message.planes.append(plane)
                message.plane_poses.append(self._pose(shape.pose))
            case ShapeKind.MESH if shape.vertices is not None and shape.faces is not None:
                message.meshes.append(self._mesh(_padded(shape.vertices, padding), shape.faces))
                message.mesh_poses.append(self._pose(shape.pose))
            case ShapeKind.ELLIPSOID:
                vertices, faces = _ellipsoid(np.array(shape.size) + padding)
                message.meshes.append(self._mesh(vertices, faces))
                message.mesh_poses.append(self._pose(shape.pose))
            case _:
                for kind, dimensions, pose in _solids(shape, padding):
                    solid = self._types.primitive()
                    solid.type, solid.dimensions = kind, dimensions
                    message.primitives.append(solid)
                    message.primitive_poses.append(self._pose(pose))

    def _mesh(self, vertices: Floats, faces: Any) -> Any:
        mesh = self._types.mesh()
        for x, y, z in vertices.tolist():
            point = self._types.point()
            point.x, point.y, point.z = x, y, z
            mesh.vertices.append(point)
        for corners in np.asarray(faces).tolist():
            triangle = self._types.triangle()
            triangle.vertex_indices = corners
            mesh.triangles.append(triangle)
        return mesh

    def _pose(self, pose: Sequence[float] | Floats) -> Any:
        message = self._types.pose()
        x, y, z, qw, qx, qy, qz = (float(number) for number in pose)
        message.position.x, message.position.y, message.position.z = x, y, z
        orientation = message.orientation
        orientation.x, orientation.y, orientation.z, orientation.w = qx, qy, qz, qw
        return message


def _solids(shape: Shape, padding: float) -> list[tuple[int, list[float], Sequence[float]]]:
    """Return type, dimensions and pose of the primitives of a shape; a capsule is a cylinder and two spheres."""
    size = shape.size
    match shape.kind:
        case ShapeKind.BOX:
            return [(BOX, [length + 2.0 * padding for length in size], shape.pose)]
        case ShapeKind.SPHERE:
            return [(SPHERE, [size[0] + padding], shape.pose)]
        case ShapeKind.CYLINDER:
            return [(CYLINDER, [size[1] + 2.0 * padding, size[0] + padding], shape.pose)]
        case ShapeKind.CAPSULE:
            centres = [_translated(shape.pose, sign * size[1] / 2.0) for sign in (-1.0, 1.0)]
            radius = size[0] + padding
            return [
                (CYLINDER, [size[1], radius], shape.pose),
                *((SPHERE, [radius], centre) for centre in centres),
            ]
        case _:
            return []


def _translated(pose: Sequence[float], distance: float) -> list[float]:
    """Return a pose translated along its own z axis."""
    x, y, z = rotate_vector([0.0, 0.0, distance], pose[3:7])
    return [pose[0] + x, pose[1] + y, pose[2] + z, *qmult(pose[3:7], [1.0, 0.0, 0.0, 0.0])]


def _padded(vertices: Floats, padding: float) -> Floats:
    """Move vertices away from their centroid by a distance in m."""
    offsets = vertices - vertices.mean(axis=0)
    lengths = np.linalg.norm(offsets, axis=1, keepdims=True)
    padded: Floats = vertices + padding * offsets / np.maximum(lengths, 1e-9)
    return padded


def _ellipsoid(radii: Floats) -> tuple[Floats, Any]:
    """Return vertices and faces of an ellipsoid, relative to its centre."""
    polar = np.linspace(0.0, np.pi, _ALONG + 1)
    azimuth = np.arange(_AROUND) * (2.0 * np.pi / _AROUND)
    vertices = [
        [np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)] for t in polar for p in azimuth
    ]
    faces = []
    for ring in range(_ALONG):
        for i in range(_AROUND):
            a, b = ring * _AROUND + i, ring * _AROUND + (i + 1) % _AROUND
            faces += [[a, a + _AROUND, b], [b, a + _AROUND, b + _AROUND]]
    return np.array(vertices) * radii, np.array(faces)
