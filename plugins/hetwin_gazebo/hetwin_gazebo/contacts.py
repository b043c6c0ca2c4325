"""Gazebo's contacts, which it publishes only on a topic.

They arrive in a thread of Gazebo. Waiting for them would make each step depend on the load of the machine, so only
contacts that have arrived are used. While contacts are not requested, the topic is unsubscribed and the thread sleeps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

from hetwin_gazebo.bindings import Gazebo
from hetwin_suite.engine import Vector
from hetwin_suite.runs import HetwinError

_MAX_AGE_NS = 50_000_000
"""Maximum age of the step whose contacts are used [ns]."""
_IDLE_TIMEOUT_NS = 500_000_000
"""Time without a request after which the topic is unsubscribed [ns]."""
_MAX_STORED = 256
"""Maximum number of stored messages: some steps of many objects."""
_MAX_UNREAD = 8192
"""Maximum number of stored messages for `unread`, which reads all of them at once."""


class ContactsLost(HetwinError):
    """Gazebo's topic of contacts cannot be subscribed to."""


@dataclass(frozen=True, slots=True)
class Contact:
    """One point of contact.

    Attributes:
        collisions: Gazebo's entities of the two collisions, smaller id first.
        force: force on either one of the two [N]; Gazebo does not report on which.
        depth: penetration depth [m]; NaN: unknown.
        point: position in the world [m]; NaN: unknown.
    """

    collisions: tuple[int, int]
    force: Vector
    depth: float = nan
    point: Vector = (nan, nan, nan)


class ContactTopic:
    """The received contacts of the last step; subscribed from the first request on."""

    def __init__(self, gz: Gazebo, topic: str) -> None:
        self._node, self._options = gz.transport.Node(), gz.transport.SubscribeOptions()
        self._topic = topic
        self._kind = gz.message("contacts_pb2", "Contacts")
        self._arrived: deque[bytes] = deque(maxlen=_MAX_STORED)
        self._unread: deque[bytes] = deque(maxlen=_MAX_UNREAD)
        self._subscribed = False
        self._requested_ns = 0

    def _on_message(self, message: bytes, _info: Any) -> None:
        self._arrived.append(message)  # decoded on request, since most are never read
        self._unread.append(message)

    def latest(self, now_ns: int) -> list[Contact]:
        """Return the contacts of the newest complete step, each point once.

        Empty if that step is too old at Gazebo's time `now_ns`, as after the first request.

        Raises:
            ContactsLost: if the topic cannot be subscribed to.
        """
        self._requested_ns = now_ns
        if not self._subscribed:
            self._subscribe()
        return list(without_duplicates(self._newest_messages(now_ns)))

    def unread(self, now_ns: int, collisions: Collection[int]) -> list[tuple[int, list[Contact]]]:
        """Return the contacts of all steps received since the last call, each with Gazebo's time of the step.

        Args:
            now_ns: Gazebo's current time.
            collisions: entities of collisions; only contacts with at least one of them are included.

        Raises:
            ContactsLost: if the topic cannot be subscribed to.
        """
        self._requested_ns = now_ns
        if not self._subscribed:
            self._subscribe()
        steps: dict[int, list[Any]] = {}
        for _ in range(len(self._unread)):
            message = self._kind.FromString(self._unread.popleft())
            steps.setdefault(_nanoseconds(message), []).append(message)
        return [(t, list(without_duplicates(steps[t], collisions))) for t in sorted(steps)]

    def unsubscribe_if_idle(self, now_ns: int) -> None:
        """Unsubscribe if contacts have not been requested for a while; called after each step."""
        if self._subscribed and now_ns - self._requested_ns > _IDLE_TIMEOUT_NS:
            self.close()

    def _subscribe(self) -> None:
        kind = self._kind.DESCRIPTOR.full_name
        if not self._node.subscribe_raw(self._topic, self._on_message, kind, self._options):
            raise ContactsLost(f"cannot subscribe to Gazebo's topic {self._topic}")
        self._subscribed = True

    def _newest_messages(self, now_ns: int) -> list[Any]:
        """Return the messages of the newest complete step; a later step's first message proves it complete."""
        steps: dict[int, list[Any]] = {}
        for raw in reversed(tuple(self._arrived)):
            message = self._kind.FromString(raw)
            steps.setdefault(_nanoseconds(message), []).append(message)
            if len(steps) > 2:
                break
        recent = [stamp for stamp in steps if now_ns - stamp <= _MAX_AGE_NS]
        return steps[recent[min(1, len(recent) - 1)]] if recent else []

    def close(self) -> None:
        """Unsubscribe."""
        if self._subscribed:
            self._node.unsubscribe(self._topic)
        self._subscribed = False
        self._arrived.clear()
        self._unread.clear()


@dataclass(frozen=True)
class _Unknown:
    x = y = z = nan


_UNKNOWN = _Unknown()


def _nanoseconds(message: Any) -> int:
    stamp = message.header.stamp
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nsec)


def without_duplicates(
    messages: Iterable[Any], collisions: Collection[int] | None = None
) -> Iterator[Contact]:
    """Yield the contacts in messages without duplicates, since both of two touching objects may report a contact.

    With `collisions`, only contacts with at least one of these entities are included.
    """
    reporter: dict[tuple[int, int], int] = {}
    for message in messages:
        for contact in message.contact:
            first, second = contact.collision1.id, contact.collision2.id
            if not (collisions is None or first in collisions or second in collisions):
                continue
            key = (min(first, second), max(first, second))
            if reporter.setdefault(key, first) == first:
                for i, wrench in enumerate(contact.wrench):
                    force = wrench.body_1_wrench.force
                    point = contact.position[i] if i < len(contact.position) else _UNKNOWN
                    depth = contact.depth[i] if i < len(contact.depth) else nan
                    yield Contact(
                        key, (force.x, force.y, force.z), depth, (point.x, point.y, point.z)
                    )
