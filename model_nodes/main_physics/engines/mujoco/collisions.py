"""Controls which bodies collide with each other, by MuJoCo's 32-bit masks.

Two geoms collide if the contype of one and the conaffinity of the other share a bit. Only free bodies have a
conaffinity, so driven, kinematic and static bodies never collide with each other: a body with prescribed motion cannot
give way, and a recording that penetrates a table by some millimetres must not jam. The links of a yielding robot
collide as free bodies do; fingers that must stop at objects also collide with kinematic bodies.

A body's contype is a single bit: that of its kind, or a private one where pairs have to be distinguished. The links
of hands have a private bit from the start, other bodies only while they need it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Ints
from model_nodes.main_physics.engines.mujoco.tables import BodyKind, Tables
from model_nodes.main_physics.engines.shared import CopiedPart

_FREE, _PRESCRIBED, _STATIC = 1, 2, 4
_OWN_BITS = tuple(1 << i for i in range(3, 31))
_ALL = (1 << 31) - 1
MAX_HAND_BITS = 16
"""Maximum number of hand links with a private bit; further ones share the bit of all driven bodies."""


class Presence(Enum):
    """How a body collides with others."""

    FULL = auto()
    """As usual for its kind."""
    STATIC = auto()
    """Only with free bodies, like a static body."""
    NONE = auto()
    """With nothing."""


class Collisions(CopiedPart):
    """Enables and disables collisions of bodies and of pairs."""

    saved_fields = ("_off", "_kinematic", "_presence", "_own", "_excluded", "_bits", "_touching")

    def __init__(self, model: mj.MjModel, tables: Tables, hand_links: Iterable[int]) -> None:
        self._model = model
        self._tables = tables
        self._off: set[int] = set()
        self._kinematic: set[int] = set()
        self._own: dict[int, int] = {}
        self._excluded: dict[int, set[int]] = {}
        self._presence: dict[int, Presence] = {}
        self._touching: set[int] = set()
        self._geoms_of = (model.body_geomadr.copy(), model.body_geomnum.copy())
        self._bits = list(_OWN_BITS)
        with_geoms = [body for body in hand_links if tables.geoms[body]]
        for body in with_geoms[:MAX_HAND_BITS]:
            self._own[body] = self._bits.pop(0)
        self._permanent = frozenset(self._own)
        for body in range(model.nbody):
            self._apply(body)

    def restore(self, state: Any) -> None:
        """Restore a saved state, and apply it to the model."""
        super().restore(state)
        for body in range(self._model.nbody):
            self._apply(body)

    def set_enabled(self, body: int, on: bool) -> None:
        """Enable or disable all collisions of a body."""
        (self._off.discard if on else self._off.add)(body)
        self._apply(body)

    def set_kinematic(self, body: int, on: bool) -> None:
        """Set whether a free body is kinematic and so collides with free bodies only."""
        (self._kinematic.add if on else self._kinematic.discard)(body)
        self._apply(body)

    def let_touch(self, links: Iterable[int]) -> None:
        """Let links of yielding robots collide with kinematic bodies too, while private bits are available."""
        self._touching |= {link for link in links if self._assign_bit(link)}
        for body in self._kinematic:
            self._apply(body)

    def set_presence(self, bodies: Ints, presence: Presence) -> None:
        """Set how bodies collide with others while their collisions are enabled."""
        for body in bodies.tolist():
            if presence is Presence.FULL:
                self._presence.pop(body, None)
            else:
                self._presence[body] = presence
        special = self._off | self._kinematic | self._own.keys() | self._excluded.keys()
        plain = [body not in special for body in bodies.tolist()]
        self._apply_to_all(bodies[plain], presence)
        for body in bodies[~np.array(plain)].tolist():
            self._apply(body)

    def set_link_presence(self, body: int, presence: Presence) -> None:
        """Set whether a robot's link collides with others: `FULL` or `NONE`."""
        if presence is Presence.FULL:
            self._presence.pop(body, None)
        else:
            self._presence[body] = presence
        self._apply(body)

    def _apply_to_all(self, bodies: Ints, presence: Presence) -> None:
        """Do the same as `_apply` for many free bodies without any other setting at once."""
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
        """Whether the collisions of a body are enabled."""
        return body not in self._off

    @property
    def disabled(self) -> frozenset[int]:
        """The bodies whose collisions are disabled."""
        return frozenset(self._off)

    def exclude(self, body: int, other: int) -> bool:
        """Disable the collisions of a pair; returns False if no bit is left for it.

        `body` must be free. For a driven body without a private bit, all driven bodies without one are excluded.
        """
        for member in (body, other):
            is_driven = self._tables.body_kinds[member] is BodyKind.DRIVEN
            if not is_driven and not self._assign_bit(member):
                return False
        self._excluded.setdefault(body, set()).add(other)
        self._excluded.setdefault(other, set()).add(body)
        self._apply(body)
        self._apply(other)
        return True

    def include(self, body: int, other: int) -> None:
        """Undo `exclude`."""
        for first, second in ((body, other), (other, body)):
            partners = self._excluded.get(first, set())
            partners.discard(second)
            if not partners:
                self._excluded.pop(first, None)
                self._release_bit(first)
        self._apply(body)
        self._apply(other)

    def _assign_bit(self, body: int) -> bool:
        if body in self._own:
            return True
        if not self._bits:
            return False
        self._own[body] = self._bits.pop(0)
        return True

    def _release_bit(self, body: int) -> None:
        if body in self._own and body not in self._permanent | self._touching:
            self._bits.append(self._own.pop(body))

    def _contype(self, body: int) -> int:
        if body in self._own:
            return self._own[body]
        kind = self._tables.body_kinds[body]
        if kind is BodyKind.STATIC or self._presence.get(body) is Presence.STATIC:
            return _STATIC
        is_driven = kind is BodyKind.DRIVEN and body not in self._tables.yielding
        if is_driven or body in self._kinematic:
            return _PRESCRIBED
        return _FREE

    def _conaffinity(self, body: int) -> int:
        is_free = self._tables.body_kinds[body] is BodyKind.FREE or body in self._tables.yielding
        if not is_free or body in self._presence:
            return 0
        bits = _ALL
        if body in self._kinematic:
            bits = 0
            for link in self._touching:
                bits |= self._contype(link)
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
