"""The names in questions: entities, fluents and events, and their meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, Meaning
from hetwin_core.episodes.expecting.bodies import Bodies
from hetwin_core.episodes.tables.poses import root_links
from hetwin_core.episodes.tables.rows import FLUENTS, Fluent, Happening

SUPPORTING = "supporting"
"""The paper's name of ``on`` with swapped arguments."""

EVENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # derived from the states
        "collision": ("a", "b"),
        "collision_end": ("a", "b"),
        "loc_change": ("object",),
        "pick_up": ("object", "hand"),
        "set_down": ("object", "support"),
        "perceived": ("object", "confidence"),
        # of models
        "picked_up": ("object", "hand"),
        "put_down": ("object", "support"),
        "lost": ("object", "hand"),
        "dropped": ("object", "hand"),
        "slipped": ("object", "hand"),
        "released": ("object", "hand"),
        "grasped": ("object", "hand"),
        "grip_closed": ("object", "hand"),
        "grip_lost": ("object", "hand"),
        "touched": ("link", "object"),
        "touch_ended": ("link", "object"),
        "fell": ("object",),
        "toppled": ("object",),
        "flung": ("object",),
        "left_the_world": ("object",),
        "spilled": ("cup",),
        "connected": ("probe", "socket"),
        "appeared": ("object",),
        "vanished": ("object",),
        "in_container": ("object", "container"),
        "left_container": ("object", "container"),
    }
)
"""Events known in every episode, and their arguments in order."""

FOLLOWS_FROM: Mapping[str, str] = MappingProxyType(
    {
        "collision": "contact",
        "collision_end": "contact",
        "loc_change": "loc",
        "pick_up": "contact",
        "set_down": "on",
    }
)
"""Event -> the fluent that it is derived from, which the log must record."""

TWIST, FORCE = "twist", "contact_force"
JOINTS: Mapping[str, str] = MappingProxyType(
    {"position": "joint_positions", "velocity": "joint_velocities", "effort": "joint_efforts"}
)
"""Value of a joint -> the attribute of its robot with the values of all joints."""
VALUES = (TWIST, FORCE, *JOINTS)
"""Names of values in addition to the attributes of the log."""

ABOUT: Mapping[str, tuple[EntityKind, ...]] = MappingProxyType(
    {
        "object": (EntityKind.OBJECT,),
        "hand": (EntityKind.HAND, EntityKind.LINK, EntityKind.ROBOT),
        "link": (EntityKind.LINK, EntityKind.HAND, EntityKind.ROBOT),
    }
)
"""Argument of an event -> permitted kinds of its entity."""
MOVES = (EntityKind.OBJECT, EntityKind.ROBOT)
"""Kinds of entities whose pose changes."""

SUBJECT_ROLES = ("object", "a", "probe", "cup", "entity", "link", "hand", "joint", "robot")
"""Names of an event's subject, the most likely first; it becomes the first argument of events not in `EVENTS`."""


class Vocabulary:
    """The names that questions to an episode may use.

    Args:
        layout: layout of the episode.
        recorded: fluents that its log records.
        events: events of the episode.
    """

    def __init__(
        self, layout: Layout, recorded: Iterable[str], events: Iterable[Happening]
    ) -> None:
        truths = [s.attribute.name for s in layout.slots if s.attribute.meaning is Meaning.TRUTH]
        model_fluents = {
            name: Fluent(("a",), "a truth of a model") for name in (*truths, *recorded)
        }
        self.fluents: dict[str, Fluent] = {**model_fluents, **FLUENTS}
        self.attributes = frozenset(slot.attribute.name for slot in layout.slots)
        self.events: dict[str, tuple[str, ...]] = dict(EVENTS)
        for event in events:
            if event.name not in self.events:
                self.events[event.name] = _ordered(event.arguments)

    def is_event(self, name: str) -> bool:
        """Return whether a name is that of an event, and not of a fluent known in every episode."""
        return name in self.events and name not in FLUENTS

    def fluent(self, name: str) -> Fluent:
        """Return a fluent.

        Raises:
            BadInput: if there is none of this name.
        """
        found = self.fluents.get(name)
        if found is None:
            known = sorted({*self.fluents, SUPPORTING})
            is_event = name in self.events
            problem = "this is an event, not a fluent" if is_event else "unknown fluent"
            raise BadInput(problem, found=name, expected=one_of(name, known))
        return found

    def event(self, name: str) -> tuple[str, ...]:
        """Return the arguments of an event, in order.

        Raises:
            BadInput: if there is none of this name.
        """
        found = self.events.get(name)
        if found is None:
            problem = "this is a fluent, not an event" if name in self.fluents else "unknown event"
            raise BadInput(problem, found=name, expected=one_of(name, sorted(self.events)))
        return found


def _ordered(arguments: Iterable[str]) -> tuple[str, ...]:
    names = list(arguments)
    return tuple(
        sorted(
            names,
            key=lambda n: SUBJECT_ROLES.index(n) if n in SUBJECT_ROLES else len(SUBJECT_ROLES),
        )
    )


ROBOT = "robot"
"""Name of the only robot of a scene, in addition to its own."""
TOUCHING = ("contact", "attached", "collision", "collision_end")
"""Fluents and events of links; in them, a hand or a robot means any of its links."""


class Entities:
    """The entities of an episode, by their names in questions.

    Args:
        layout: layout of the episode.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._bodies = Bodies(layout)
        self._roots = root_links(layout)
        self._meant: dict[tuple[str, bool], frozenset[str]] = {}

    def known(self, name: str) -> str:
        """Return the name of an entity in the scene.

        Raises:
            BadInput: if there is no such entity; the most similar names are listed.
        """
        if self._layout.entity_id(name) >= 0:
            return name
        robots = self._layout.of_kind(EntityKind.ROBOT)
        if name == ROBOT and len(robots) == 1:
            return robots[0].name
        raise BadInput("unknown entity", found=name, expected=one_of(name, self.names))

    def check_kind(self, name: str, kinds: Sequence[EntityKind], of: str) -> None:
        """Check that an entity is of a permitted kind.

        Args:
            name: name of the entity.
            kinds: permitted kinds.
            of: role of the entity, for the error.

        Raises:
            BadInput: if it is of another kind; the permitted entities are listed.
        """
        if self._layout.entity(self.known(name)).kind not in kinds:
            may = [entity.name for kind in kinds for entity in self._layout.of_kind(kind)]
            raise BadInput(f"this cannot be the {of}", found=name, expected=one_of(name, may))

    @cached_property
    def names(self) -> list[str]:
        """All entities by name; objects first, links last."""
        order = list(EntityKind)
        first = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.ROBOT, EntityKind.HAND)
        order.sort(key=lambda kind: first.index(kind) if kind in first else len(first))
        return [entity.name for kind in order for entity in self._layout.of_kind(kind)]

    def placed(self, name: str) -> str:
        """Return the entity whose pose a name means: for a robot its base.

        Raises:
            BadInput: if the entity has no pose.
        """
        entity = self._layout.entity(self.known(name))
        found = self._roots.get(entity.name, entity.name)
        if self._layout.has(found, POSE.name):
            return found
        entities_with_pose = [n for n in self.names if self._layout.has(n, POSE.name)]
        raise BadInput(
            "this entity has no pose", found=name, expected=one_of(name, entities_with_pose)
        )

    def meant(self, name: str, fluent: str) -> frozenset[str]:
        """Return the entities that a name means as an argument of a fluent or event.

        Raises:
            BadInput: if there is no such entity.
        """
        key = name, fluent in TOUCHING
        if key not in self._meant:
            self._meant[key] = self._parts(self._layout.entity(self.known(name)), key[1])
        return self._meant[key]

    def hand_of(self, name: str) -> str:
        """Return the hand of a link; the name itself if there is none."""
        return self._bodies.hand_of(name) or name

    def _parts(self, entity: Entity, touching: bool) -> frozenset[str]:
        if entity.kind is EntityKind.ROBOT or (entity.kind is EntityKind.HAND and touching):
            return self._bodies.stands_for(entity.name)
        return frozenset({entity.name})
