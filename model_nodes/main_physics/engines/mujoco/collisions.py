"""Who collides with whom, by MuJoCo's 32 bits.

Two geoms touch if one's contype meets the other's conaffinity. Only free bodies have a conaffinity, so
driven, led and static bodies never touch each other: what moves as told cannot give way, and a recording
that runs some millimetres into a table must not jam.

A body's contype is one bit: that of its sort, or one of its own where pairs have to be told apart: the links
of hands have one from the beginning, others while they need it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Ints
from model_nodes.main_physics.engines.mujoco.tables import Sort, Tables

_FREE, _TOLD, _STATIC = 1, 2, 4
_OWN_BITS = tuple(1 << i for i in range(3, 31))
_ALL = (1 << 31) - 1
MAX_HAND_BITS = 16
"""Links of hands beyond this many share the bit of all driven bodies."""


class Presence(Enum):
    """How much of a body others feel."""

    FULL = auto()
    """All that its sort says."""
    STATIC = auto()
    """Free bodies touch it, as if it were part of the world."""
    NONE = auto()
    """Nothing touches it."""


class Collisions:
    """Switches collisions of bodies and of pairs."""

    def __init__(self, model: mj.MjModel, tables: Tables, hand_links: Iterable[int]) -> None:
        self._model = model
        self._tables = tables
        self._off: set[int] = set()
        self._led: set[int] = set()
        self._own: dict[int, int] = {}
        self._excluded: dict[int, set[int]] = {}
        self._presence: dict[int, Presence] = {}
        self._geoms_of = (model.body_geomadr.copy(), model.body_geomnum.copy())
        self._bits = list(_OWN_BITS)
        with_form = [body for body in hand_links if tables.geoms[body]]
        for body in with_form[:MAX_HAND_BITS]:
            self._own[body] = self._bits.pop(0)
        self._permanent = frozenset(self._own)
        for body in range(model.nbody):
            self._apply(body)

    def save(self) -> object:
        """What `restore` needs; the model's arrays are not in it."""
        excluded = {body: set(others) for body, others in self._excluded.items()}
        sets = set(self._off), set(self._led), dict(self._presence)
        return *sets, dict(self._own), excluded, list(self._bits)

    def restore(self, state: object) -> None:
        """Go back to what `save` gave."""
        assert isinstance(state, tuple)
        off, led, presence, own, excluded, bits = state
        self._off, self._led, self._presence = set(off), set(led), dict(presence)
        self._own, self._bits = dict(own), list(bits)
        self._excluded = {body: set(others) for body, others in excluded.items()}
        for body in range(self._model.nbody):
            self._apply(body)

    def switch(self, body: int, on: bool) -> None:
        """Whether a body touches anything."""
        (self._off.discard if on else self._off.add)(body)
        self._apply(body)

    def lead(self, body: int, on: bool) -> None:
        """Whether a free body moves as told, so that only free bodies touch it."""
        (self._led.add if on else self._led.discard)(body)
        self._apply(body)

    def set_presence(self, bodies: Ints, presence: Presence) -> None:
        """How much of some bodies others feel, as long as they are on."""
        for body in bodies.tolist():
            if presence is Presence.FULL:
                self._presence.pop(body, None)
            else:
                self._presence[body] = presence
        special = self._off | self._led | self._own.keys() | self._excluded.keys()
        plain = [body not in special for body in bodies.tolist()]
        self._apply_to_all(bodies[plain], presence)
        for body in bodies[~np.array(plain)].tolist():
            self._apply(body)

    def set_link_presence(self, body: int, presence: Presence) -> None:
        """How much of a robot's link others feel: all or nothing."""
        if presence is Presence.FULL:
            self._presence.pop(body, None)
        else:
            self._presence[body] = presence
        self._apply(body)

    def _apply_to_all(self, bodies: Ints, presence: Presence) -> None:
        """As `_apply`, for free bodies about which nothing else is special."""
        contype = {Presence.FULL: _FREE, Presence.STATIC: _STATIC, Presence.NONE: 0}[presence]
        conaffinity = _ALL if presence is Presence.FULL else 0
        first, count = (of_body[bodies] for of_body in self._geoms_of)
        geoms = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
        self._model.geom_contype[geoms] = contype
        self._model.geom_conaffinity[geoms] = conaffinity
        solid = bodies[count > 0]
        self._model.body_contype[solid] = contype
        self._model.body_conaffinity[solid] = conaffinity

    def is_on(self, body: int) -> bool:
        """Whether a body touches anything at all."""
        return body not in self._off

    @property
    def off(self) -> frozenset[int]:
        """The bodies that touch nothing."""
        return frozenset(self._off)

    def exclude(self, body: int, other: int) -> bool:
        """Let two bodies pass through each other; answers whether that was possible.

        `body` must be free. A driven body without a bit of its own passes together with all of its sort.
        """
        for one in (body, other):
            if self._sort(one) is not Sort.DRIVEN and not self._give_bit(one):
                return False
        self._excluded.setdefault(body, set()).add(other)
        self._excluded.setdefault(other, set()).add(body)
        self._apply(body)
        self._apply(other)
        return True

    def include(self, body: int, other: int) -> None:
        """Undo `exclude`."""
        for one, two in ((body, other), (other, body)):
            others = self._excluded.get(one, set())
            others.discard(two)
            if not others:
                self._excluded.pop(one, None)
                self._take_bit(one)
        self._apply(body)
        self._apply(other)

    def _sort(self, body: int) -> Sort:
        return self._tables.sorts[body]

    def _give_bit(self, body: int) -> bool:
        if body in self._own:
            return True
        if not self._bits:
            return False
        self._own[body] = self._bits.pop(0)
        return True

    def _take_bit(self, body: int) -> None:
        if body in self._own and body not in self._permanent:
            self._bits.append(self._own.pop(body))

    def _contype(self, body: int) -> int:
        if body in self._own:
            return self._own[body]
        if self._sort(body) is Sort.STATIC or self._presence.get(body) is Presence.STATIC:
            return _STATIC
        if self._sort(body) is Sort.DRIVEN or body in self._led:
            return _TOLD
        return _FREE

    def _conaffinity(self, body: int) -> int:
        if self._sort(body) is not Sort.FREE or body in self._led or body in self._presence:
            return 0
        bits = _ALL
        for other in self._excluded.get(body, ()):
            bits &= ~self._contype(other)
        return bits

    def _apply(self, body: int) -> None:
        on = body not in self._off and self._presence.get(body) is not Presence.NONE
        contype = self._contype(body) if on else 0
        conaffinity = self._conaffinity(body) if on else 0
        model, geoms = self._model, list(self._tables.geoms[body])
        model.geom_contype[geoms] = contype
        model.geom_conaffinity[geoms] = conaffinity
        model.body_contype[body] = contype if geoms else 0
        model.body_conaffinity[body] = conaffinity if geoms else 0
