"""The scene's entities as the standard describes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from simulation_interfaces.msg import EntityCategory, EntityState, TagsFilter

from conductor_node.standard.bounds import Region, box_of
from conductor_node.standard.service_results import failed, not_found
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, WORLD
from hetwin_core.wire.messages import fill_time

CATEGORIES = {
    EntityKind.OBJECT: EntityCategory.CATEGORY_DYNAMIC_OBJECT,
    EntityKind.STATIC: EntityCategory.CATEGORY_STATIC_OBJECT,
    EntityKind.ROBOT: EntityCategory.CATEGORY_ROBOT,
}
"""Kinds that are listed; links, hands and concepts are found by their names only."""


def listed(scene: Snapshot, filters: Any) -> list[Entity]:
    """Objects, static bodies and robots that pass ``EntityFilters``.

    Raises:
        RequestRefused: if a filter cannot be used.
    """
    try:
        name = re.compile(filters.filter)
    except re.error as error:
        raise failed(f"the filter {filters.filter!r} is no regular expression: {error}") from None
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


def found(scene: Snapshot, name: str) -> Entity:
    """An entity of any kind.

    Raises:
        RequestRefused: if there is none of this name.
    """
    for entity in scene.layout.entities:
        if entity.name == name:
            return entity
    raise not_found(f"the scene has no entity {name!r}")


def body_of(scene: Snapshot, entity: Entity) -> Entity:
    """The entity whose pose is that of the given one: for a robot the link that it stands on.

    Raises:
        RequestRefused: if it has none.
    """
    candidates = [entity]
    if entity.kind is EntityKind.ROBOT:
        candidates += [e for e in scene.layout.entities if e.owner == entity.name and not e.parent]
    for candidate in candidates:
        if scene.layout.has(candidate.name, POSE.name):
            return candidate
    raise failed(f"{entity.name} has no pose: it is a {entity.kind}")


def state_of(scene: Snapshot, entity: Entity) -> Any:
    """``EntityState`` in the frame ``world``; accelerations are unknown and set to 0.

    Raises:
        RequestRefused: if it has no pose.
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
    """The entity, or the links of a robot."""
    if entity.kind is not EntityKind.ROBOT:
        return (entity,)
    return [e for e in scene.layout.entities if e.owner == entity.name and e.shapes]


def _has_tags(entity: Entity, wanted: Any) -> bool:
    if not wanted.tags:
        return True
    hits = [tag in entity.tags for tag in wanted.tags]
    return all(hits) if wanted.filter_mode == TagsFilter.FILTER_MODE_ALL else any(hits)


def _is_in(scene: Snapshot, entity: Entity, region: Region) -> bool:
    for part in parts_of(scene, entity):
        box = box_of(part)
        if box is not None and region.overlaps(box, scene.pose(part.name)):
            return True
    return False
