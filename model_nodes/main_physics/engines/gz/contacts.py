"""Contacts, which Gazebo reports on a topic only."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.gz.bindings import Gazebo
from model_nodes.main_physics.world.description import Vector

CONTACT_COLUMNS = 11
_PATIENCE_S = 5.0
_ZERO: Vector = (0.0, 0.0, 0.0)


class ContactsLost(HetwinError):
    """Gazebo's contact messages did not arrive."""


@dataclass(frozen=True, slots=True)
class Contact:
    """One point of contact.

    Attributes:
        collisions: Gazebo's entities, smaller number first.
        force: [N], on one or the other of the two: see `Contacts`.
    """

    collisions: tuple[int, int]
    depth: float
    point: Vector
    normal: Vector
    force: Vector


class ContactTopic:
    """Subscribes to the contacts of the last step.

    Gazebo publishes only bodies that touch. A beacon marks the end of a step's contacts: a model whose pose is
    published in each step after the contacts, through the same queue.
    """

    def __init__(self, gz: Gazebo, topic: str, beacon: str) -> None:
        self._node = gz.transport.Node()
        self._topics = (topic, f"/model/{beacon}/pose")
        self._received = threading.Condition()
        self._messages: list[Any] = []
        self._stamp, self._now = -1, 0
        types = (gz.message("contacts_pb2", "Contacts"), gz.message("pose_pb2", "Pose"))
        callbacks = (self._on_contacts, self._on_beacon)
        for name, kind, callback in zip(self._topics, types, callbacks, strict=True):
            if not self._node.subscribe(kind, name, callback):
                raise ContactsLost(f"cannot subscribe to Gazebo's topic {name}")

    def _on_contacts(self, message: Any) -> None:
        stamp = _nanoseconds(message)
        with self._received:
            if stamp != self._stamp:
                self._stamp, self._messages = stamp, []
            self._messages.append(message)

    def _on_beacon(self, message: Any) -> None:
        with self._received:
            self._now = _nanoseconds(message)
            self._received.notify()

    def at(self, time_ns: int) -> list[Contact]:
        """Return all contacts of the step that ended at Gazebo's time `time_ns`, each point once.

        Raises:
            ContactsLost: if Gazebo does not publish in time.
        """
        with self._received:
            if not self._received.wait_for(lambda: self._now >= time_ns, _PATIENCE_S):
                raise ContactsLost(f"Gazebo's contacts did not arrive within {_PATIENCE_S:g} s")
            messages = list(self._messages) if self._stamp == time_ns else []
        return list(_once(messages))

    def close(self) -> None:
        """Unsubscribe."""
        for topic in self._topics:
            self._node.unsubscribe(topic)


def _nanoseconds(message: Any) -> int:
    stamp = message.header.stamp
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nsec)


def _once(messages: list[Any]) -> Iterator[Contact]:
    # Two objects that touch each other both report it.
    reporter: dict[tuple[int, int], int] = {}
    for message in messages:
        for contact in message.contact:
            one, other = contact.collision1.id, contact.collision2.id
            key = (min(one, other), max(one, other))
            if reporter.setdefault(key, one) == one:
                yield from _points(contact, key)


def _points(contact: Any, key: tuple[int, int]) -> Iterator[Contact]:
    for i, at in enumerate(contact.position):
        point = (at.x, at.y, at.z)
        if i >= len(contact.wrench):
            yield Contact(key, 0.0, point, _ZERO, _ZERO)
            continue
        normal, force = contact.normal[i], contact.wrench[i].body_1_wrench.force
        yield Contact(
            key,
            contact.depth[i],
            point,
            (normal.x, normal.y, normal.z),
            (force.x, force.y, force.z),
        )


class Contacts:
    """Contacts between frames.

    Gazebo does not report on which of the two bodies a force acts. Contact forces push, so the direction from one
    body to the other decides.
    """

    def __init__(self, contacts: list[Contact], frame_of: Mapping[int, int]) -> None:
        self._contacts = [
            (frame_of[c.collisions[0]], frame_of[c.collisions[1]], c)
            for c in contacts
            if c.collisions[0] in frame_of and c.collisions[1] in frame_of
        ]

    def forces(self, normals: Mapping[tuple[int, int], Vector]) -> dict[tuple[int, int], Vector]:
        """Return (frame, other frame) -> sum of the forces on the frame [N], for these pairs.

        `normals` are unit vectors from the other frame to the frame.
        """
        sums: dict[tuple[int, int], Vector] = {}
        for one, other, contact in self._contacts:
            for key in ((one, other), (other, one)):
                if key in normals:
                    x, y, z = _pushing(contact.force, normals[key])
                    a, b, c = sums.get(key, _ZERO)
                    sums[key] = (a + x, b + y, c + z)
        return sums

    def table(self, between: Mapping[tuple[int, int], Vector]) -> Floats:
        """Return (n, 11) rows as `Engine.contacts`; `between` has a normal for every pair in contact."""
        out = np.empty((len(self._contacts), CONTACT_COLUMNS))
        for row, (one, other, contact) in zip(out, self._contacts, strict=True):
            normal = _pushing(contact.normal, between[one, other])
            along = abs(_dot(contact.force, normal))
            across = max(0.0, _dot(contact.force, contact.force) - along * along)
            row[:] = (one, other, -contact.depth, *contact.point, *normal, along, across**0.5)
        return out

    @property
    def pairs(self) -> set[tuple[int, int]]:
        """All pairs of frames in contact."""
        return {(one, other) for one, other, _ in self._contacts}


def _pushing(vector: Vector, direction: Vector) -> Vector:
    if _dot(vector, direction) >= 0:
        return vector
    x, y, z = vector
    return (-x, -y, -z)


def _dot(one: Vector, other: Vector) -> float:
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
