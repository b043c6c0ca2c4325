"""Lists a world's bodies and links as entities of the scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import Shape
from model_nodes.main_physics.world.description import (
    Body,
    Geometry,
    Link,
    World,
    frame_name,
    joint_name,
)


def entities_of(world: World, tags: Mapping[str, tuple[str, ...]]) -> list[Entity]:
    """Return all entities: free objects, static bodies, links, hands, robots."""
    entities = [entity for body in world.bodies for entity in _body_entities(body, tags)]
    entities += [
        Entity(
            hand.name,
            EntityKind.HAND,
            tags.get(hand.name, ()),
            owner=hand.robot,
            parent=hand.frame,
            joints=hand.joints,
        )
        for hand in world.hands
    ]
    return entities


def _body_entities(body: Body, tags: Mapping[str, tuple[str, ...]]) -> Iterator[Entity]:
    joints = {joint.child: joint for joint in body.joints}
    positioned = {joint.name for joint in body.moving_joints}
    if body.robot:
        yield Entity(
            body.name,
            EntityKind.ROBOT,
            tags.get(body.name, ()),
            joints=tuple(joint_name(body, joint) for joint in body.moving_joints),
            mass=sum(_mass(link) for link in body.links),
        )
    for link in body.links:
        name = frame_name(body, link.name)
        joint = joints.get(link.name)
        is_root = joint is None and not body.robot
        yield Entity(
            name,
            _kind(body) if is_root else EntityKind.LINK,
            tags.get(name, ()),
            owner="" if is_root else body.name,
            parent="" if joint is None else frame_name(body, joint.parent),
            joint=joint_name(body, joint) if joint and joint.name in positioned else "",
            joints=tuple(joint_name(body, j) for j in body.moving_joints) if is_root else (),
            mass=0.0 if is_root and body.static else _mass(link),
            shapes=tuple(_shape(geometry) for geometry in link.geometries),
        )


def _kind(body: Body) -> EntityKind:
    return EntityKind.STATIC if body.static else EntityKind.OBJECT


def _mass(link: Link) -> float:
    return 0.0 if link.inertial is None else link.inertial.mass


def _shape(geometry: Geometry) -> Shape:
    hull = geometry.hull
    return Shape(
        geometry.kind,
        geometry.size,
        geometry.pose,
        geometry.rgba,
        geometry.collides,
        None if hull is None else hull.vertices,
        None if hull is None else hull.faces,
    )
