"""Which entities a name stands for: a hand and a robot stand for their links."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cached_property

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout

ROBOT = "robot"
"""Stands for every robot."""


class Bodies:
    """The entities of a scene, by what they are.

    Args:
        layout: the scene's.
    """

    def __init__(self, layout: Layout) -> None:
        self._entities = {entity.name: entity for entity in layout.entities}
        self._standing_for: dict[str, frozenset[str]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._entities

    def kind(self, name: str) -> EntityKind | None:
        """Return what an entity is; None if there is none of this name."""
        entity = self._entities.get(name)
        return None if entity is None else entity.kind

    def owner(self, name: str) -> str:
        """Return the robot that a link or hand belongs to; empty for anything else."""
        entity = self._entities.get(name)
        return "" if entity is None else entity.owner

    def is_movable(self, name: str) -> bool:
        """Whether it is an object that can be moved."""
        return self.kind(name) is EntityKind.OBJECT

    @cached_property
    def links(self) -> frozenset[str]:
        """The links of all robots; not those of other articulated bodies."""
        robots = {e.name for e in self._entities.values() if e.kind is EntityKind.ROBOT}
        return frozenset(
            e.name
            for e in self._entities.values()
            if e.kind is EntityKind.LINK and e.owner in robots
        )

    @cached_property
    def hands(self) -> tuple[str, ...]:
        """All hands, in the scene's order."""
        return tuple(e.name for e in self._entities.values() if e.kind is EntityKind.HAND)

    def stands_for(self, name: str) -> frozenset[str]:
        """Return the entities that a name or a pattern of names stands for, itself among them.

        A hand stands for its links too, a robot for all of its, `ROBOT` for every robot.
        """
        if name not in self._standing_for:
            self._standing_for[name] = frozenset(self._find(name))
        return self._standing_for[name]

    def hand_of(self, name: str) -> str:
        """Return the hand that a link belongs to; itself if it is a hand, empty if it belongs to none."""
        return next((hand for hand in self.hands if name in self.stands_for(hand)), "")

    def _find(self, name: str) -> Iterable[str]:
        entity = self._entities.get(name)
        if entity is not None and entity.kind is EntityKind.HAND:
            return {name, *self._links_of_hand(entity)}
        if entity is not None and entity.kind is EntityKind.ROBOT:
            return self._of_robot(name)
        if entity is not None:
            return {name}
        if name == ROBOT:
            robots = [e.name for e in self._entities.values() if e.kind is EntityKind.ROBOT]
            return {ROBOT}.union(*(self._of_robot(robot) for robot in robots))
        return {known for known in self._entities if fnmatchcase(known, name)}

    def _of_robot(self, name: str) -> set[str]:
        return {name, *(e.name for e in self._entities.values() if e.owner == name)}

    def _links_of_hand(self, hand: Entity) -> set[str]:
        """The link that it is fixed to, the parents of its fingers, and all of their descendants."""
        links = [e for e in self._entities.values() if e.kind is EntityKind.LINK]
        found = {hand.parent} | {e.parent for e in links if e.joint and e.joint in hand.joints}
        found.discard("")
        size = 0
        while size != len(found):
            size = len(found)
            found |= {e.name for e in links if e.parent in found}
        return found
