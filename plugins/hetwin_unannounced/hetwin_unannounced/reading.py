"""Parsing of messages that report things: detections, and collision objects of MoveIt's planning scene."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from hetwin_suite.model import WORLD, Floats, rotation_matrix

IDENTITY = (1.0, 0.0, 0.0, 0.0)
_BOX, _SPHERE, _CYLINDER, _CONE = 1, 2, 3, 4
"""`type` of a shape_msgs/SolidPrimitive."""
_ADD, _REMOVE, _APPEND, _MOVE = 0, 1, 2, 3
"""`operation` of a moveit_msgs/CollisionObject."""


class Sighting(NamedTuple):
    """A thing that a message reports.

    Attributes:
        kind: class id of a detection, or id of a collision object.
        frame: frame of the pose.
        pose: (7,) x y z [m], qw qx qy qz.
        size: (3,) sides of the bounding box [m]; 0: not known.
        covariance: (6, 6) of position and rotation vector [m^2, m rad, rad^2]; 0: not known.
        score: confidence of the detection, 0 to 1.
    """

    kind: str
    frame: str
    pose: Floats
    size: Floats
    covariance: Floats
    score: float = 1.0


class SceneReport(NamedTuple):
    """Contents of a message.

    Attributes:
        seen: things that the message reports.
        gone: kinds of the things that the message removes.
        is_whole: whether the message lists all things, so that others do not exist.
        names: whether each kind is the unique name of one thing.
    """

    seen: tuple[Sighting, ...]
    gone: tuple[str, ...] = ()
    is_whole: bool = True
    names: bool = False


def parse_report(message: Mapping[str, Any]) -> SceneReport:
    """Parse a message, whose type is recognized by its fields.

    Args:
        message: a vision_msgs/Detection3DArray, moveit_msgs/PlanningScene, PlanningSceneWorld or CollisionObject, as
            plain values.

    Raises:
        ValueError: if the message has another type, or a number in it is missing.
    """
    if "detections" in message:
        sightings = (_detection(detection, message) for detection in message["detections"])
        return SceneReport(tuple(sighting for sighting in sightings if sighting is not None))
    if "world" in message:
        is_whole = not message.get("is_diff", False)
        return _objects(message["world"].get("collision_objects", ()), is_whole)
    if "collision_objects" in message:
        return _objects(message["collision_objects"], True)
    if "primitives" in message and "operation" in message:
        return _objects([message], False)
    raise ValueError(
        f"fields {', '.join(message)}; expected a Detection3DArray, a PlanningScene or a CollisionObject"
    )


def _detection(detection: Mapping[str, Any], message: Mapping[str, Any]) -> Sighting | None:
    results = detection.get("results", ())
    frame = detection["header"]["frame_id"] or message["header"]["frame_id"] or WORLD
    size = _vector(detection["bbox"]["size"])
    centre = _pose(detection["bbox"]["center"])
    if not results:
        return Sighting("", frame, centre, size, np.zeros((6, 6)), 0.0)
    best = max(results, key=lambda result: float(result["hypothesis"]["score"] or 0.0))
    covariance = np.array(best["pose"]["covariance"], np.float64).reshape(6, 6)
    if not np.isfinite(covariance).all():
        raise ValueError("a covariance that is not finite")
    pose = centre if size.any() else _pose(best["pose"]["pose"])
    hypothesis = best["hypothesis"]
    score = float(hypothesis["score"] or 0.0)
    return Sighting(str(hypothesis["class_id"]), frame, pose, size, covariance, score)


def _objects(objects: Any, is_whole: bool) -> SceneReport:
    seen: list[Sighting] = []
    gone: list[str] = []
    for collision_object in objects:
        operation = int(collision_object["operation"])
        if operation == _REMOVE:
            gone.append(str(collision_object["id"]))
        elif operation in (_ADD, _APPEND, _MOVE):
            seen.append(_object(collision_object))
        else:
            raise ValueError(f"operation {operation}; expected 0 to 3")
    return SceneReport(tuple(seen), tuple(gone), is_whole, names=True)


def _object(collision_object: Mapping[str, Any]) -> Sighting:
    """Parse a collision object; its size is the box around its shapes, 0 for an operation MOVE without shapes."""
    frame = collision_object["header"]["frame_id"] or WORLD
    pose = _pose(collision_object["pose"])
    lower, upper = np.full(3, np.inf), np.full(3, -np.inf)
    for half, shape_pose in _extents(collision_object):
        rotation = rotation_matrix(shape_pose[3:])
        reach = np.abs(rotation) @ half
        lower = np.minimum(lower, shape_pose[:3] - reach)
        upper = np.maximum(upper, shape_pose[:3] + reach)
    if not np.isfinite(lower).all():
        return Sighting(str(collision_object["id"]), frame, pose, np.zeros(3), np.zeros((6, 6)))
    centre = pose.copy()
    centre[:3] += rotation_matrix(pose[3:]) @ ((lower + upper) / 2.0)
    return Sighting(str(collision_object["id"]), frame, centre, upper - lower, np.zeros((6, 6)))


def _extents(collision_object: Mapping[str, Any]) -> Iterator[tuple[Floats, Floats]]:
    """Yield half the sides (3,) and the pose (7,) of each shape's box, in the object's frame."""
    for shape, pose in zip(
        collision_object["primitives"], collision_object["primitive_poses"], strict=True
    ):
        yield _half(int(shape["type"]), shape["dimensions"]), _pose(pose)
    for mesh, pose in zip(
        collision_object.get("meshes", ()), collision_object.get("mesh_poses", ()), strict=True
    ):
        corners = np.array([list(map(float, v.values())) for v in mesh["vertices"]]).reshape(-1, 3)
        if not len(corners):
            continue
        pose = _pose(pose)
        pose[:3] += rotation_matrix(pose[3:]) @ ((corners.min(axis=0) + corners.max(axis=0)) / 2.0)
        yield (corners.max(axis=0) - corners.min(axis=0)) / 2.0, pose


def _half(kind: int, dimensions: Any) -> Floats:
    sizes = [float(number) for number in dimensions]
    needed = {_BOX: 3, _SPHERE: 1, _CYLINDER: 2, _CONE: 2}.get(kind)
    if needed is None or len(sizes) < needed or not all(0.0 <= n < math.inf for n in sizes):
        raise ValueError(f"a primitive of type {kind} with dimensions {sizes}")
    if kind == _BOX:
        return np.array(sizes[:3]) / 2.0
    if kind == _SPHERE:
        return np.full(3, sizes[0])
    return np.array([sizes[1], sizes[1], sizes[0] / 2.0])


def _vector(fields: Mapping[str, Any]) -> Floats:
    numbers = [fields["x"], fields["y"], fields["z"]]
    if any(number is None for number in numbers):
        raise ValueError("a vector that is not finite")
    return np.array(numbers, np.float64)


def _pose(fields: Mapping[str, Any]) -> Floats:
    rotation = fields["orientation"]
    numbers = [rotation["w"], rotation["x"], rotation["y"], rotation["z"]]
    if any(number is None for number in numbers):
        raise ValueError("a quaternion that is not finite")
    quaternion = np.array(numbers, np.float64)
    length = float(np.linalg.norm(quaternion))
    unit = np.array(IDENTITY) if length == 0.0 else quaternion / length
    return np.concatenate([_vector(fields["position"]), unit])
