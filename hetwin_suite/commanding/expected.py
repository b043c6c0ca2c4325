"""What is to have come of a goal for an object, judged by where things are in the twin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.containment import inside_of
from model_nodes.robot_program.facts import seen_from


class Expected(Protocol):
    """What is to have come about."""

    @property
    def what(self) -> str:
        """The object."""

    @property
    def wanted(self) -> Json:
        """What is to have come about, in a word."""

    def missed(self, look: Look) -> Json | None:
        """Return what is instead, at the end; None if it has come about."""


@dataclass(frozen=True, slots=True)
class Held:
    """A hand holds an object, and nothing else supports it.

    Attributes:
        what: the object.
        hand: the hand.
        members: links of the hand, by their names in the scene.
    """

    what: str
    hand: str
    members: frozenset[str]

    @property
    def wanted(self) -> Json:
        """In a word."""
        return f"held by {self.hand}"

    def missed(self, look: Look) -> Json | None:
        """Return what the object touches instead of the hand alone; None if the hand holds it."""
        touching = look.touching(self.what)
        if touching & self.members and not touching - self.members:
            return None
        return f"touches {', '.join(sorted(touching)) or 'nothing'}"


@dataclass(frozen=True, slots=True)
class Released:
    """An object is in or on something, and the robot does not touch it.

    Attributes:
        what: the object.
        into: what is to have taken it.
        robot: links of the robot, by their names in the scene.
    """

    what: str
    into: Entity
    robot: frozenset[str]

    @property
    def wanted(self) -> Json:
        """In a word."""
        return f"in or on {self.into.name}"

    def missed(self, look: Look) -> Json | None:
        """Return what the object touches; None if it is where it is to be."""
        touching = look.touching(self.what)
        if touching and not touching & self.robot and self._there(look, touching):
            return None
        return f"touches {', '.join(sorted(touching)) or 'nothing'}"

    def _there(self, look: Look, touching: frozenset[str]) -> bool:
        """Whether it touches it, or is inside of it."""
        if self.into.name in touching:
            return True
        pose = look.poses[self.into.name].tolist()
        x, y, z = seen_from(pose, look.poses[self.what].tolist())[:3]
        return inside_of(self.into).holds((x, y, z))


TOUCHING_M = 1e-3
"""Pairs that are nearer than this touch [m]."""


@dataclass(frozen=True, slots=True)
class Look:
    """The twin at one time of a plan.

    Attributes:
        time: of the plan [s]; negative before it begins.
        near: (entity, other) -> distance [m], of links of robots to static bodies and other links, and of objects to
            everything, as far as the twin was asked to see.
        poses: (7,) x y z [m], qw qx qy qz in the world, by entity.
    """

    time: float
    near: Mapping[tuple[str, str], float]
    poses: Mapping[str, Floats]

    def touching(self, entity: str) -> frozenset[str]:
        """Return what an object touches."""
        pairs = [pair for pair, distance in self.near.items() if distance <= TOUCHING_M]
        return frozenset(other for pair in pairs if entity in pair for other in pair) - {entity}
