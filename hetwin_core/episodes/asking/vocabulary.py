"""The fluents and events that questions about an episode may name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import Meaning
from hetwin_core.episodes.tables.fluents import FLUENTS, Fluent
from hetwin_core.episodes.tables.rows import Happening

SUPPORTING = "supporting"
"""The paper's name of ``on``, with its arguments the other way round."""

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
        "in_container": ("object", "container"),
        "left_container": ("object", "container"),
    }
)
"""Events that may be asked for in every episode, and their arguments in order."""

FOLLOWS_FROM: Mapping[str, str] = MappingProxyType(
    {
        "collision": "contact",
        "collision_end": "contact",
        "loc_change": "loc",
        "pick_up": "contact",
        "set_down": "on",
    }
)
"""Event -> the fluent that the log must record for it."""

TWIST, FORCE = "twist", "contact_force"
JOINTS: Mapping[str, str] = MappingProxyType(
    {"position": "joint_positions", "velocity": "joint_velocities", "effort": "joint_efforts"}
)
"""Value of a joint -> the attribute of its robot that has those of all joints."""
VALUES = (TWIST, FORCE, *JOINTS)
"""Values that may be asked for beside the attributes of the log."""

ABOUT: Mapping[str, tuple[EntityKind, ...]] = MappingProxyType(
    {
        "object": (EntityKind.OBJECT,),
        "hand": (EntityKind.HAND, EntityKind.LINK, EntityKind.ROBOT),
        "link": (EntityKind.LINK, EntityKind.HAND, EntityKind.ROBOT),
    }
)
"""Argument of an event -> kinds of the entities that it may be."""
MOVES = (EntityKind.OBJECT, EntityKind.ROBOT)
"""What changes its place."""

FIRST = ("object", "a", "probe", "cup", "entity", "link", "hand", "joint", "robot")
"""What an event is about, the likeliest first: its first argument if `EVENTS` does not know it."""


class Vocabulary:
    """What may be asked of an episode.

    Args:
        layout: of the episode.
        recorded: fluents that its log can know.
        events: of the episode.
    """

    def __init__(
        self, layout: Layout, recorded: Iterable[str], events: Iterable[Happening]
    ) -> None:
        truths = [s.attribute.name for s in layout.slots if s.attribute.meaning is Meaning.TRUTH]
        own = {name: Fluent(("a",), "a truth of a model") for name in (*truths, *recorded)}
        self.fluents: dict[str, Fluent] = {**own, **FLUENTS}
        self.attributes = frozenset(slot.attribute.name for slot in layout.slots)
        self.events: dict[str, tuple[str, ...]] = dict(EVENTS)
        for event in events:
            if event.name not in self.events:
                self.events[event.name] = _ordered(event.arguments)

    def is_event(self, name: str) -> bool:
        """Return whether a name is that of an event, and of no fluent that every episode has."""
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
            problem = "this is an event, no fluent" if is_event else "unknown fluent"
            raise BadInput(problem, found=name, expected=one_of(name, known))
        return found

    def event(self, name: str) -> tuple[str, ...]:
        """Return the arguments of an event, in order.

        Raises:
            BadInput: if there is none of this name.
        """
        found = self.events.get(name)
        if found is None:
            problem = "this is a fluent, no event" if name in self.fluents else "unknown event"
            raise BadInput(problem, found=name, expected=one_of(name, sorted(self.events)))
        return found


def _ordered(arguments: Iterable[str]) -> tuple[str, ...]:
    names = list(arguments)
    return tuple(sorted(names, key=lambda n: FIRST.index(n) if n in FIRST else len(FIRST)))
