"""Names of entities in questions, and what they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.episodes.expecting.bodies import Bodies

ROBOT = "robot"
"""Stands for the only robot of a scene, whatever its name."""
TOUCHING = ("contact", "attached", "collision", "collision_end")
"""What is said of links; a hand or a robot stands for any of its own there."""


class Entities:
    """The entities of an episode, as questions name them.

    Args:
        layout: of the episode.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._bodies = Bodies(layout)
        self._meant: dict[tuple[str, bool], frozenset[str]] = {}

    def known(self, name: str) -> str:
        """Return the name of an entity as the scene has it.

        Raises:
            BadInput: if there is no such entity; the nearest names are named.
        """
        if self._layout.entity_id(name) >= 0:
            return name
        robots = self._layout.of_kind(EntityKind.ROBOT)
        if name == ROBOT and len(robots) == 1:
            return robots[0].name
        raise BadInput("unknown entity", found=name, expected=one_of(name, self.names))

    def check_kind(self, name: str, kinds: Sequence[EntityKind], of: str) -> None:
        """See that an entity is of a kind that may be asked about.

        Args:
            name: of the entity.
            kinds: those that it may be.
            of: what it is, for the error.

        Raises:
            BadInput: if it is of another kind; the entities that it may be are named.
        """
        if self._layout.entity(self.known(name)).kind not in kinds:
            may = [entity.name for kind in kinds for entity in self._layout.of_kind(kind)]
            raise BadInput(f"this is never the {of}", found=name, expected=one_of(name, may))

    @cached_property
    def names(self) -> list[str]:
        """All entities by name; objects first, links last."""
        order = list(EntityKind)
        first = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.ROBOT, EntityKind.HAND)
        order.sort(key=lambda kind: first.index(kind) if kind in first else len(first))
        return [entity.name for kind in order for entity in self._layout.of_kind(kind)]

    def placed(self, name: str) -> str:
        """Return the entity whose pose is that of a name: of a robot its base.

        Raises:
            BadInput: if the entity has no pose.
        """
        entity = self._layout.entity(self.known(name))
        if self._layout.has(entity.name, POSE.name):
            return entity.name
        if entity.kind is EntityKind.ROBOT:
            for part in self._links(entity.name):
                if not part.parent and self._layout.has(part.name, POSE.name):
                    return part.name
        posed = [n for n in self.names if self._layout.has(n, POSE.name)]
        raise BadInput("this entity has no pose", found=name, expected=one_of(name, posed))

    def meant(self, name: str, fluent: str) -> frozenset[str]:
        """Return the entities that a name stands for as an argument of a fluent or event.

        Raises:
            BadInput: if there is no such entity.
        """
        key = name, fluent in TOUCHING
        if key not in self._meant:
            self._meant[key] = self._parts(self._layout.entity(self.known(name)), key[1])
        return self._meant[key]

    def hand_of(self, name: str) -> str:
        """Return the hand that a link belongs to; the name itself if it belongs to none."""
        return self._bodies.hand_of(name) or name

    def _parts(self, entity: Entity, touching: bool) -> frozenset[str]:
        if entity.kind is EntityKind.ROBOT or (entity.kind is EntityKind.HAND and touching):
            return self._bodies.stands_for(entity.name)
        return frozenset({entity.name})

    def _links(self, robot: str) -> list[Entity]:
        return [e for e in self._layout.of_kind(EntityKind.LINK) if e.owner == robot]
