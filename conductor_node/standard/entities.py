"""Describes the scene's entities in messages of the standard ``simulation_interfaces``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3
from simulation_interfaces.msg import Bounds, EntityCategory, EntityState, Result, TagsFilter

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.poses import conjugate, rotate
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, WORLD, Floats, Shape, ShapeKind
from hetwin_core.wire.messages import fill_time


class RequestRefused(Exception):
    """A request that cannot be carried out.

    Args:
        code: code of ``simulation_interfaces/Result``, or of the service's response.
        text: the reason and the remedy.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def unsupported(text: str) -> RequestRefused:
    """Return a refusal: the request needs a feature that is not supported."""
    return RequestRefused(Result.RESULT_FEATURE_UNSUPPORTED, text)


def not_found(text: str) -> RequestRefused:
    """Return a refusal: the request names something that does not exist."""
    return RequestRefused(Result.RESULT_NOT_FOUND, text)


def wrong_state(text: str) -> RequestRefused:
    """Return a refusal: the request is not possible in the current state."""
    return RequestRefused(Result.RESULT_INCORRECT_STATE, text)


def operation_failed(text: str) -> RequestRefused:
    """Return a refusal: the operation failed, or is not possible with these values."""
    return RequestRefused(Result.RESULT_OPERATION_FAILED, text)


def fill_ok(result: Result) -> None:
    """Mark a ``Result`` as OK."""
    result.result = Result.RESULT_OK


def fill_refusal(result: Result, refusal: RequestRefused) -> None:
    """Enter the code and the reason of a refusal in a ``Result``."""
    result.result, result.error_message = refusal.code, str(refusal)


def bounding_box(entity: Entity) -> Floats | None:
    """(2, 3) lower and upper corner of its bounding box in the entity's frame [m]; None if it has no shape."""
    corners = [corner for shape in entity.shapes for corner in _corners(shape)]
    if not corners:
        return None
    return np.array([np.min(corners, axis=0), np.max(corners, axis=0)])


def fill_box(message: Any, box: Floats | None) -> Any:
    """Fill in ``Bounds`` with a box: upper corner first, as the standard demands."""
    message.type = Bounds.TYPE_EMPTY if box is None else Bounds.TYPE_BOX
    if box is not None:
        message.points = [Vector3(x=x, y=y, z=z) for x, y, z in box[::-1].tolist()]
    return message


class Region:
    """The region of a filter, in the world frame.

    Args:
        message: ``Bounds``.

    Raises:
        RequestRefused: if the bounds are neither a sphere nor a box, or do not have two points.
    """

    def __init__(self, message: Any) -> None:
        points = [(p.x, p.y, p.z) for p in message.points]
        kind = message.type
        if kind not in (Bounds.TYPE_SPHERE, Bounds.TYPE_BOX):
            raise unsupported("unsupported type of bounds; expected a sphere or a box")
        if len(points) != 2:
            raise operation_failed(f"these bounds have {len(points)} points; expected two")
        self._is_sphere = kind == Bounds.TYPE_SPHERE
        self._points = np.array(points)

    def overlaps(self, box: Floats, pose: Floats) -> bool:
        """Whether a box at a pose overlaps the region; a box region is compared with the box's bounds in the world."""
        position, rotation = pose[:3], pose[3:7].tolist()
        if self._is_sphere:
            centre = rotate(conjugate(rotation), (self._points[0] - position).tolist())
            nearest = np.clip(centre, box[0], box[1])
            return bool(np.linalg.norm(nearest - centre) <= self._points[1][0])
        corners = [np.add(position, rotate(rotation, c)) for c in product(*box.T.tolist())]
        lower, upper = np.min(corners, axis=0), np.max(corners, axis=0)
        region_lower, region_upper = self._points.min(axis=0), self._points.max(axis=0)
        return bool((lower <= region_upper).all() and (region_lower <= upper).all())


def _corners(shape: Shape) -> Iterator[Floats]:
    """Points that span a shape, in the entity's frame [m]; for round shapes the corners of their bounding box."""
    position, rotation = shape.pose[:3], shape.pose[3:7]
    if shape.vertices is not None:
        points = shape.vertices.tolist()
    else:
        points = list(product(*((-half, half) for half in _half_extents(shape))))
    for point in points:
        yield np.add(position, rotate(rotation, point))


def _half_extents(shape: Shape) -> tuple[float, float, float]:
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


CATEGORIES = {
    EntityKind.OBJECT: EntityCategory.CATEGORY_DYNAMIC_OBJECT,
    EntityKind.STATIC: EntityCategory.CATEGORY_STATIC_OBJECT,
    EntityKind.ROBOT: EntityCategory.CATEGORY_ROBOT,
}
"""The kinds of entities that are listed; links, hands and concepts are only found by name."""


def matching_entities(scene: Snapshot, filters: Any) -> list[Entity]:
    """Return the objects, static bodies and robots that pass ``EntityFilters``.

    Raises:
        RequestRefused: if a filter cannot be used.
    """
    try:
        name = re.compile(filters.filter)
    except re.error as error:
        raise operation_failed(
            f"the filter {filters.filter!r} is not a regular expression: {error}"
        ) from None
    categories = {category.category for category in filters.categories}
    region = Region(filters.bounds) if filters.bounds.type else None
    return [
        entity
        for entity in scene.layout.entities
        if entity.kind in CATEGORIES
        and name.search(entity.name)
        and (not categories or CATEGORIES[entity.kind] in categories)
        and _has_tags(entity, filters.tags)
        and (region is None or _is_in(scene, entity, region))
    ]


def entity_named(scene: Snapshot, name: str) -> Entity:
    """Return an entity of any kind by name.

    Raises:
        RequestRefused: if there is no entity of this name.
    """
    for entity in scene.layout.entities:
        if entity.name == name:
            return entity
    raise not_found(f"the scene has no entity {name!r}")


def body_of(scene: Snapshot, entity: Entity) -> Entity:
    """Return the entity that has the pose of the given one: for a robot its base link.

    Raises:
        RequestRefused: if the entity has no pose.
    """
    candidates = [entity]
    if entity.kind is EntityKind.ROBOT:
        candidates += [e for e in scene.layout.entities if e.owner == entity.name and not e.parent]
    for candidate in candidates:
        if scene.layout.has(candidate.name, POSE.name):
            return candidate
    raise operation_failed(f"{entity.name} has no pose: it is a {entity.kind}")


def state_of(scene: Snapshot, entity: Entity) -> Any:
    """``EntityState`` in the frame ``world``; accelerations are unknown and set to 0.

    Raises:
        RequestRefused: if the entity has no pose.
    """
    x, y, z, qw, qx, qy, qz, *twist = scene.pose(body_of(scene, entity).name).tolist()
    message = EntityState()
    message.header.frame_id = WORLD
    fill_time(message.header.stamp, scene.time_ns)
    position, orientation = message.pose.position, message.pose.orientation
    position.x, position.y, position.z = x, y, z
    orientation.w, orientation.x, orientation.y, orientation.z = qw, qx, qy, qz
    linear, angular = message.twist.linear, message.twist.angular
    linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = twist
    return message


def parts_of(scene: Snapshot, entity: Entity) -> Sequence[Entity]:
    """The entity itself, or the links with shapes of a robot."""
    if entity.kind is not EntityKind.ROBOT:
        return (entity,)
    return [e for e in scene.layout.entities if e.owner == entity.name and e.shapes]


def _has_tags(entity: Entity, wanted: Any) -> bool:
    if not wanted.tags:
        return True
    matches = [tag in entity.tags for tag in wanted.tags]
    return all(matches) if wanted.filter_mode == TagsFilter.FILTER_MODE_ALL else any(matches)


def _is_in(scene: Snapshot, entity: Entity, region: Region) -> bool:
    for part in parts_of(scene, entity):
        box = bounding_box(part)
        if box is not None and region.overlaps(box, scene.pose(part.name)):
            return True
    return False
