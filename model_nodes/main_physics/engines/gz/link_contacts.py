"""Contacts of the robots' links with objects in each of Gazebo's steps, as Gazebo reports them some time later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import hypot

from model_nodes.main_physics.engines.gz.contacts import Contact
from model_nodes.main_physics.engines.gz.lockstep import LockStep
from model_nodes.main_physics.engines.gz.shadow import Shadow
from model_nodes.main_physics.engines.mujoco.tables import BodyKind
from model_nodes.main_physics.engines.touches import Pair

NEAR = 0.15
"""Contacts are asked for while a link is nearer to an object than what it moves by between two reports [m]."""


class LinkContacts:
    """Notes contacts in the shadow's touches.

    Args:
        shadow: of the world.
        near: names of the objects whose distances are measured; contacts with others are not asked for.
    """

    def __init__(self, shadow: Shadow, near: tuple[str, ...]) -> None:
        self._touches, tables = shadow.touches, shadow.tables
        self._pairs = shadow.pairs(near, NEAR)
        self._frames = {name: i for i, name in enumerate(tables.frames)}
        self._kinds = tables.body_kinds
        self._of_frames = {i: self._kinds[body] for i, body in enumerate(tables.frame_bodies)}

    def note_contacts(self, simulation: LockStep | None, now_ns: int) -> None:
        """Note what has become known of the steps until now."""
        if simulation is None or not self._is_near():
            return
        for ago_ns, contacts in simulation.new_contacts():
            for pair, contact in self._of_links(contacts, simulation):
                depth = max(0.0, contact.depth)
                if self._touches.note(pair, now_ns - ago_ns, depth):
                    self._touches.deepest(pair, hypot(*contact.force), *contact.point)

    def _is_near(self) -> bool:
        pairs = self._pairs.nearest()
        return any(self._kinds[other] is BodyKind.DRIVEN for _, other in pairs)

    def _of_links(
        self, contacts: Iterable[Contact], simulation: LockStep
    ) -> Iterator[tuple[Pair, Contact]]:
        """The contacts of a link with a body that forces move, with the frames of both."""
        for contact in contacts:
            names = [simulation.frame_of.get(collision) for collision in contact.collisions]
            one, other = (self._frames.get(name or "", -1) for name in names)
            if self._of_frames.get(other) is BodyKind.DRIVEN:
                one, other = other, one
            kinds = self._of_frames.get(one), self._of_frames.get(other)
            if kinds == (BodyKind.DRIVEN, BodyKind.FREE):
                yield (one, other), contact
