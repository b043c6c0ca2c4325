"""Derives contacts, supports and attachments; and events of picking objects up and setting them down."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.conductor.reporting.concerns import FROM, TO
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.following.states import States
from hetwin_core.episodes.tables.deriving.book import (
    Batch,
    Book,
    Mask,
    Numbers,
    OccasionWriter,
    SceneIndex,
    Spans,
)
from hetwin_core.episodes.tables.lists import Stretch
from hetwin_core.episodes.tables.rows import BORNE

TOUCHING_M = 2e-4
"""Maximum distance at which bodies start to touch [m]."""
CLEAR_M = 1e-3
"""Maximum distance at which touching bodies remain in contact [m]."""
ABSENT = 3
"""Number of states without a contact that end it: bodies at rest sometimes part for a state."""
SAME_NS = 100_000_000
"""Maximum time between a reported touch and an observed one that count as the same [ns]."""
_UPWARD = math.cos(math.radians(45.0))
_REST_SPEED, _REST_TURN = 0.02, 0.2
_REST_STATES = 3
_MOTION_STATES = 10
"""Number of states in motion that end the rest of an object on its support; fewer are ignored."""
_MOVING_SPEED, _MOVING_TURN = 0.005, 0.05


@dataclass(frozen=True, slots=True)
class Pairs:
    """Rows of proximity between known entities.

    Attributes:
        a: (m,) index of the object.
        b: (m,) index of the other entity.
        state: (m,) index of the batch's state.
        rows: (m, 12) all columns.
    """

    a: Numbers
    b: Numbers
    state: Numbers
    rows: Floats

    @property
    def distance(self) -> Floats:
        """(m,) distances [m]."""
        return self.rows[:, 2]

    def where(self, mask: Mask) -> Pairs:
        """Return some of the rows."""
        return Pairs(self.a[mask], self.b[mask], self.state[mask], self.rows[mask])


def near_pairs(states: States, entities: int) -> Pairs:
    """Return the rows of entities at most `CLEAR_M` apart."""
    rows = states.proximity
    near = np.isfinite(rows[:, :3]).all(axis=1) & (rows[:, 2] <= CLEAR_M)
    ids = rows[:, :2]
    near &= ((ids >= 0) & (ids < entities) & (ids == np.floor(ids))).all(axis=1)
    rows = rows[near]
    a, b = rows[:, :2].T.astype(np.int64)
    return Pairs(a, b, states.of_state[near], rows)


class Touching:
    """Adds ``contact``, ``on``, ``borne_by`` and ``attached``, and the events ``collision`` and ``collision_end``.

    ``on(a, b)`` holds while an object is at rest on something that supports it from below. ``borne_by(a, b)``
    starts likewise, and lasts until the object has left its support, even if it is pushed or tips. ``attached(a,
    b)`` starts when a link moves an object that it touches, and lasts while they touch without relative motion.

    Args:
        index: index of the scene.
        book: receives the occasions and events.
    """

    def __init__(self, index: SceneIndex, book: Book) -> None:
        self._index = index
        self._book = book
        self._count = len(index.names)
        self._contacts = Spans(absent=ABSENT)
        self._supports = Spans(absent=ABSENT, clear=_REST_STATES)
        self._rests = Spans(absent=_MOTION_STATES, clear=_REST_STATES)
        self._attachments = Spans(absent=ABSENT, clear=_REST_STATES)
        self._contact, self._on, self._borne, self._attached = (
            OccasionWriter(fluent, self._names, book)
            for fluent in ("contact", "on", BORNE, "attached")
        )
        self._objects = {
            name for name, flag in zip(index.names, index.is_object, strict=True) if flag
        }
        self.seen = False

    def update(self, batch: Batch) -> None:
        """Add the next states."""
        self.seen = self.seen or len(batch.states.proximity) > 0
        pairs = near_pairs(batch.states, self._count)
        self._update_contacts(batch, pairs)
        self._update_attachments(batch, pairs)
        self._update_supports(batch, pairs)

    def add_reported(self, arguments: Mapping[str, Json]) -> None:
        """Add a touch of a link and an object that has ended and is in no state; see `robot_health`."""
        link, object_name = str(arguments.get("link")), str(arguments.get("object"))
        begin, end = arguments.get(FROM), arguments.get(TO)
        if (
            object_name not in self._objects
            or not isinstance(begin, float)
            or not isinstance(end, float)
        ):
            return
        from_ns, to_ns = round(begin * 1e9), round(end * 1e9) + 1
        known = (self._book.stretches[i] for i in self._book.of_fluent.get("contact", ()))
        if any(
            (occasion.a, occasion.b) == (object_name, link)
            and occasion.from_ns < to_ns + SAME_NS
            and (occasion.to_ns is None or occasion.to_ns + SAME_NS > from_ns)
            for occasion in known
        ):
            return
        self._book.begin_occasion("contact", object_name, link, from_ns).to_ns = to_ns
        for name, time_ns in (("collision", from_ns), ("collision_end", to_ns)):
            self._book.add_event(time_ns, name, {"a": object_name, "b": link})

    def _names(self, key: int) -> tuple[str, str]:
        a, b = divmod(key, self._count)
        return self._index.names[a], self._index.names[b]

    def _update_contacts(self, batch: Batch, pairs: Pairs) -> None:
        both = self._index.is_object[pairs.b] & (pairs.b < pairs.a)
        a, b = np.where(both, (pairs.b, pairs.a), (pairs.a, pairs.b))
        keys = a * self._count + b
        clearly = pairs.distance <= TOUCHING_M
        changes = self._contacts.update(keys, pairs.state + batch.first, clearly, batch.newest)
        for stretch, change in self._contact.enter(changes, batch.timeline):
            if change.state > 0:
                name = "collision" if change.begins else "collision_end"
                time_ns = batch.timeline.time(change.state)
                self._book.add_event(time_ns, name, {"a": stretch.a, "b": stretch.b})

    def _update_supports(self, batch: Batch, pairs: Pairs) -> None:
        index, up = self._index, pairs.rows[:, 8]
        below = (up >= _UPWARD) & index.is_object[pairs.a] & ~index.in_hand[pairs.b]
        above = (up <= -_UPWARD) & index.is_object[pairs.b] & ~index.in_hand[pairs.a]
        chosen = pairs.where(below | above)
        slow = _is_slow(*_motion_at_contact(batch, chosen))
        at_rest = slow & (chosen.distance <= TOUCHING_M)
        upper, lower = np.where(below[below | above], (chosen.a, chosen.b), (chosen.b, chosen.a))
        keys = upper * self._count + lower
        states, newest = chosen.state + batch.first, batch.newest
        borne = self._supports.update(keys, states, at_rest, newest)
        resting = self._rests.update(keys[slow], states[slow], at_rest[slow], newest)
        self._borne.enter(borne, batch.timeline)
        self._on.enter(resting, batch.timeline)

    def _update_attachments(self, batch: Batch, pairs: Pairs) -> None:
        index = self._index
        chosen = pairs.where(index.is_object[pairs.a] & index.is_link[pairs.b])
        speed, turn, link_speed, link_turn = _motion_of_origins(batch, chosen)
        is_rigid = _is_slow(speed, turn)
        moved = (link_speed > _MOVING_SPEED) | (link_turn > _MOVING_TURN)
        chosen, moved = chosen.where(is_rigid), moved[is_rigid]
        keys = chosen.a * self._count + chosen.b
        changes = self._attachments.update(keys, chosen.state + batch.first, moved, batch.newest)
        self._attached.enter(changes, batch.timeline)


def _is_slow(speed: Floats, turn: Floats) -> Mask:
    return (speed <= _REST_SPEED) & (turn <= _REST_TURN)


def _poses(batch: Batch, state: Numbers, ids: Numbers) -> Floats:
    return batch.index.poses(batch.states.values, state, ids)


def _motion_at_contact(batch: Batch, pairs: Pairs) -> tuple[Floats, Floats]:
    """Linear and angular speed of a relative to b at the contact, (m,) each [m/s, rad/s]."""
    a, b = _poses(batch, pairs.state, pairs.a), _poses(batch, pairs.state, pairs.b)
    point = pairs.rows[:, 3:6]
    return _length(_velocity(a, point) - _velocity(b, point)), _length(a[:, 10:] - b[:, 10:])


def _motion_of_origins(batch: Batch, pairs: Pairs) -> tuple[Floats, Floats, Floats, Floats]:
    """Linear and angular speed of a's origin relative to b, and of b at this point, (m,) each [m/s, rad/s]."""
    a, b = _poses(batch, pairs.state, pairs.a), _poses(batch, pairs.state, pairs.b)
    carried = _velocity(b, a[:, :3])
    against = _length(a[:, 7:10] - carried)
    return against, _length(a[:, 10:] - b[:, 10:]), _length(carried), _length(b[:, 10:])


def _velocity(poses: Floats, points: Floats) -> Floats:
    """(m, 3) velocities of bodies at points [m/s]."""
    found: Floats = poses[:, 7:10] + np.cross(poses[:, 10:], points - poses[:, :3])
    return found


def _length(vectors: Floats) -> Floats:
    found: Floats = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return found


HELD_ON_NS = 100_000_000
"""Time after leaving its support for which a picked-up object must stay attached, without a support [ns]."""
SETTLE_NS = 300_000_000
"""Maximum time from the release of a set-down object until it is at rest [ns]."""


class _Carrier(NamedTuple):
    hand: str
    stretch: Stretch


class Handling:
    """Adds events ``pick_up(object, hand)`` and ``set_down(object, support)``.

    An object is picked up when it leaves its support attached to a hand, and stays attached. It is set down when it
    is at rest on something that it was carried to, and the hand has released it.

    Args:
        index: index of the scene.
        book: has ``borne_by``, ``attached`` and ``held``; receives the events.
    """

    def __init__(self, index: SceneIndex, book: Book) -> None:
        self._index = index
        self._book = book
        self._seen = 0
        self._supports: dict[str, list[Stretch]] = defaultdict(list)
        self._carriers: dict[str, list[_Carrier]] = defaultdict(list)
        self._leaving: list[Stretch] = []
        self._landing: list[Stretch] = []

    def update(self, now_ns: int) -> None:
        """Process the motions up to a time before which all occasions are final."""
        self._collect()
        certain_ns = now_ns - HELD_ON_NS
        self._leaving = [s for s in self._leaving if not self._has_left(s, certain_ns)]
        self._landing = [s for s in self._landing if not self._has_landed(s, certain_ns)]

    def _collect(self) -> None:
        for stretch in self._book.stretches[self._seen :]:
            if stretch.fluent == BORNE:
                self._supports[stretch.a].append(stretch)
                self._leaving.append(stretch)
                self._landing.append(stretch)
            elif stretch.fluent == "attached":
                hand = self._hand_of(stretch.b)
                self._carriers[stretch.a].append(_Carrier(hand, stretch))
            elif stretch.fluent == "held":
                self._carriers[stretch.a].append(_Carrier(stretch.b, stretch))
        self._seen = len(self._book.stretches)

    def _hand_of(self, link: str) -> str:
        hands = self._index.hands_of.get(self._index.layout.entity_id(link))
        return hands[0] if hands else link

    def _has_left(self, support: Stretch, certain_ns: int) -> bool:
        """Whether a support has ended for certain; if a hand lifted the object from it, the event is added."""
        if support.to_ns is None or support.to_ns > certain_ns:
            return False
        later = support.to_ns + HELD_ON_NS
        carriers = [c for c in self._carriers[support.a] if _covers(c.stretch, later)]
        if carriers and not any(_covers(s, later) for s in self._supports[support.a]):
            what = {"object": support.a, "hand": carriers[-1].hand}
            self._book.add_event(support.to_ns, "pick_up", dict(what))
        return True

    def _has_landed(self, support: Stretch, certain_ns: int) -> bool:
        """Whether it is certain if a hand set the object down on a support; if so, the event is added."""
        if support.from_ns > certain_ns:
            return False
        carries = [
            carrier.stretch
            for carrier in self._carriers[support.a]
            if carrier.stretch.from_ns < support.from_ns
            and (
                carrier.stretch.to_ns is None
                or carrier.stretch.to_ns >= support.from_ns - SETTLE_NS
            )
        ]
        ends = [stretch.to_ns for stretch in carries if stretch.to_ns is not None]
        if len(ends) < len(carries):
            return support.to_ns is not None
        if ends:
            time_ns = max(support.from_ns, *ends)
            if time_ns > certain_ns:
                return False
            if _covers(support, time_ns):
                what = {"object": support.a, "support": support.b}
                self._book.add_event(time_ns, "set_down", dict(what))
        return True


def _covers(stretch: Stretch, time_ns: int) -> bool:
    return stretch.from_ns <= time_ns and (stretch.to_ns is None or stretch.to_ns > time_ns)
