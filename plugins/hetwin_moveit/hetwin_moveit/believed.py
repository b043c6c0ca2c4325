"""Objects of a planning scene, read from a state of the twin: their poses, and the hands that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hetwin_suite.model import Entity, EntityKind, Floats, Layout, Shape, relative_to

PADDING_DEVIATIONS = 2.0
"""Padding of shapes, in standard deviations of the position along its least certain axis."""
_HELD, _POSE, _COVARIANCE = "held", "pose", "pose_covariance"
_COVARIANCE_SIZE = 21
_TRIANGLE = np.triu_indices(6)


@dataclass(frozen=True, slots=True)
class PlacedObject:
    """An object of the planning scene.

    Attributes:
        frame: frame of the pose: the link of the hand that holds the object, else the robot's root link.
        pose: (7,) x y z [m], qw qx qy qz.
        hand: entity name of the hand that holds the object; empty if none does.
        padding: growth of the shapes on each side [m].
    """

    frame: str
    pose: Floats
    hand: str = ""
    padding: float = 0.0


class SceneReader:
    """Reads the objects of a planning scene from states of a run.

    Bodies that belong to no robot are objects. Only the owners of the scene's hands count as robots; without hands,
    every robot of the scene does.

    Args:
        layout: layout of the scene.
        padded: whether shapes grow with the uncertainty of the object's position.

    Attributes:
        objects: entities with colliding shapes, by name.
        root: root link of the first robot; empty without robots.
    """

    def __init__(self, layout: Layout, *, padded: bool = False) -> None:
        self._layout, self._padded = layout, padded
        hands = layout.of_kind(EntityKind.HAND)
        robots = {hand.owner for hand in hands} or {
            robot.name for robot in layout.of_kind(EntityKind.ROBOT)
        }
        links = [link for link in layout.of_kind(EntityKind.LINK) if link.owner in robots]
        self.root = next((link.name for link in links if not link.parent), "")
        self._hands = {layout.entity_id(hand.name): hand for hand in hands}
        self._links = {link.name: link for link in links}
        bodies = layout.of_kind(EntityKind.OBJECT, EntityKind.STATIC, EntityKind.LINK)
        self.objects: Mapping[str, Entity] = {
            body.name: body
            for body in bodies
            if body.name not in self._links
            and layout.has(body.name, _POSE)
            and any(shape.collides for shape in body.shapes)
        }

    def at(self, values: Floats) -> dict[str, PlacedObject]:
        """Return each object's pose and holder in a state, by the object's name.

        Args:
            values: (layout.size,) with poses in the world.
        """
        return {name: self._read_object(name, values) for name in self.objects}

    def shapes(self, name: str) -> tuple[Shape, ...]:
        """Return the colliding shapes of an object, in its frame."""
        return tuple(shape for shape in self.objects[name].shapes if shape.collides)

    def link_of(self, hand: str) -> str:
        """Return the link that a hand is fixed to."""
        return self._layout.entity(hand).parent

    def touch_links(self, hand: str) -> list[str]:
        """Return the links that may touch an object in a hand: the hand's link and all its descendants."""
        links = [self.link_of(hand)]
        for link in self._links.values():  # parents come before their children
            if link.parent in links:
                links.append(link.name)
        return links

    def _read_object(self, name: str, values: Floats) -> PlacedObject:
        hand = self._holder(name, values)
        frame = hand.parent if hand is not None else self.root
        pose = values[self._layout.range_of(name, _POSE)].copy()
        if frame and self._layout.has(frame, _POSE):
            pose = relative_to(values[self._layout.range_of(frame, _POSE)], pose)
        padding = self._padding(name, values) if self._padded else 0.0
        return PlacedObject(frame, pose[:7], "" if hand is None else hand.name, padding)

    def _holder(self, name: str, values: Floats) -> Entity | None:
        if not self._layout.has(name, _HELD):
            return None
        index = float(values[self._layout.range_of(name, _HELD)][0])
        return self._hands.get(int(index)) if np.isfinite(index) else None

    def _padding(self, name: str, values: Floats) -> float:
        slot = self._layout.find(name, _COVARIANCE)
        if slot is None or self._layout.slots[slot].attribute.size != _COVARIANCE_SIZE:
            return 0.0
        covariance = np.zeros((6, 6))
        covariance[_TRIANGLE] = values[self._layout.range_of(name, _COVARIANCE)]
        position = np.triu(covariance)[:3, :3] + np.triu(covariance, 1)[:3, :3].T
        if not np.isfinite(position).all():
            return 0.0
        return PADDING_DEVIATIONS * float(np.sqrt(max(np.linalg.eigvalsh(position)[-1], 0.0)))
