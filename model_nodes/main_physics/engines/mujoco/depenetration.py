"""Resolves the penetrations of objects that are handed back to physics, without ejecting them.

MuJoCo's own margin (geom_margin) shrinks the geoms, turns those inside out that are thinner than the margin, and
applies to all contacts of a geom. Here contacts are found at the true surfaces, and only the depth beyond the margin is
resolved: the depth within the margin is removed from the reference acceleration of the contact's constraint, after
`mj_step1`, which computes it, and before `mj_step2`, which solves the constraints.

An object keeps colliding with bodies that support it (static bodies, and free ones below or above it), but with a
negative contact margin as large as the penetration, which decays at 1 cm/s. The object passes through all links of
robots, and through bodies that it penetrates sideways, until the two are 1 mm apart, for at most 0.5 s. Penetrations
that remain then are also resolved slowly by a contact margin. The same holds for an object whose collisions are
enabled while it overlaps something.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import mujoco as mj

from model_nodes.main_physics.engines.engine import Remark
from model_nodes.main_physics.engines.mujoco.collisions import Collisions
from model_nodes.main_physics.engines.mujoco.distances import Nearest, Pairs
from model_nodes.main_physics.engines.mujoco.tables import BodyKind, FreeBody, Tables
from model_nodes.main_physics.engines.shared import CopiedPart

DECAY_RATE = 0.01
"""Rate at which a margin returns to zero [m/s]."""

_Pair = tuple[int, int]
"""Two bodies or two geoms, the lower id first."""


class ContactMargins(CopiedPart):
    """The pairs of bodies with a negative contact margin; each pair of their geoms has a margin of its own.

    Attributes:
        any: whether any pair has a margin.
    """

    saved_fields = ("_fresh", "_depths")

    def __init__(self, model: mj.MjModel, data: mj.MjData) -> None:
        self._model, self._data = model, data
        self._bodies: list[int] = model.geom_bodyid.tolist()
        self._pyramidal = model.opt.cone == mj.mjtCone.mjCONE_PYRAMIDAL.value
        self._fresh: set[_Pair] = set()
        """Bodies that get their margin at the next `apply`."""
        self._depths: dict[_Pair, dict[_Pair, float]] = {}
        """Bodies -> geoms -> permitted depth of their overlap [m]."""
        self.any = False

    def _update_any(self) -> None:
        self.any = bool(self._fresh or self._depths)

    @property
    def bodies(self) -> frozenset[int]:
        """The bodies of all pairs that have a margin."""
        return frozenset(body for pair in (*self._fresh, *self._depths) for body in pair)

    def soften(self, body: int, other: int) -> None:
        """Give a pair of bodies a margin as large as the overlap that the next `apply` finds."""
        self._fresh.add(_pair(body, other))
        self._update_any()

    def reset(self, bodies: Iterable[int]) -> None:
        """Remove the margins of bodies at once."""
        if not self.any:
            return
        ids = frozenset(bodies)
        self._fresh = {pair for pair in self._fresh if ids.isdisjoint(pair)}
        self._depths = {
            pair: depths for pair, depths in self._depths.items() if ids.isdisjoint(pair)
        }
        self._update_any()

    def decay(self, seconds: float) -> None:
        """Let all margins decay for a time [s]."""
        for pair, depths in list(self._depths.items()):
            decayed = {geoms: depth - DECAY_RATE * seconds for geoms, depth in depths.items()}
            self._depths[pair] = {geoms: depth for geoms, depth in decayed.items() if depth > 0.0}
            if not self._depths[pair]:
                del self._depths[pair]
        self._update_any()

    def apply(self) -> None:
        """Subtract the effect of the margins from the results of `mj_step1`."""
        contacts = list(self._contacts()) if self._data.ncon else []
        for pair, geoms, rows in contacts:
            if pair in self._fresh:
                depths = self._depths.setdefault(pair, {})
                depths[geoms] = max(depths.get(geoms, 0.0), self._depth(rows.start))
        self._fresh.clear()
        constants, accelerations = self._data.efc_KBIP, self._data.efc_aref
        for pair, geoms, rows in contacts:
            depth = self._depths.get(pair, {}).get(geoms, 0.0)
            # The reference acceleration is -damping * velocity + stiffness * impedance * depth.
            stiffness, _, impedance, _ = constants[rows.start].tolist()
            accelerations[rows] -= stiffness * impedance * depth
        self._update_any()

    def _contacts(self) -> Iterator[tuple[_Pair, _Pair, slice]]:
        """Bodies, geoms and constraint rows of each contact whose bodies have a margin."""
        contacts = self._data.contact
        body, geoms, rows = self._bodies, contacts.geom.tolist(), contacts.efc_address.tolist()
        for i, ((geom, other), first) in enumerate(zip(geoms, rows, strict=True)):
            pair = _pair(body[geom], body[other])
            if first >= 0 and (pair in self._depths or pair in self._fresh):
                dimensions = int(contacts.dim[i]) if self._pyramidal else 1
                count = 2 * (dimensions - 1) if dimensions > 1 else 1
                yield pair, _pair(geom, other), slice(first, first + count)

    def _depth(self, row: int) -> float:
        return float(self._data.efc_margin[row] - self._data.efc_pos[row])

    def restore(self, state: Any) -> None:
        """Restore a saved state."""
        super().restore(state)
        self._update_any()


def _pair(one: int, other: int) -> _Pair:
    return (one, other) if one < other else (other, one)


CLEARANCE = 1e-3
PASSING_TIME = 0.5
_TOUCH = 1e-4
"""Smaller penetrations occur in resting contacts, and are not resolved [m]."""
_SUPPORT_COSINE = 0.5
"""Minimum cosine of the angle between a supporting contact's normal and the vertical."""


@dataclass(slots=True)
class _ReturnedObject:
    free: FreeBody
    pairs: Pairs
    passing: dict[tuple[int, int], float] = field(default_factory=dict)
    """(body, other) -> end of the time in which the two do not collide [s]."""


class Depenetration:
    """The objects that were handed back and still penetrate something.

    Attributes:
        margins: margins with which overlaps are resolved slowly, to be applied after each `mj_step1`.
        remarks: remarks that have not been taken yet.
        returned: name -> object that still passes through something.
    """

    def __init__(
        self, model: mj.MjModel, data: mj.MjData, tables: Tables, collisions: Collisions
    ) -> None:
        self._model, self._data, self._tables = model, data, tables
        self._collisions = collisions
        self.margins = ContactMargins(model, data)
        self.returned: dict[str, _ReturnedObject] = {}
        self._all_pairs: dict[str, Pairs] = {}
        self._updated_at = 0.0
        self.remarks: list[Remark] = []

    @property
    def is_busy(self) -> bool:
        """Whether any object is monitored or any margin is left."""
        return bool(self.returned) or self.margins.any

    @property
    def names(self) -> tuple[str, ...]:
        """The objects that currently pass through others or are separated slowly."""
        slow = self.margins.bodies
        free = self._tables.free.items()
        return tuple(n for n, f in free if n in self.returned or not slow.isdisjoint(f.members))

    def monitor(self, free: FreeBody, time: float) -> None:
        """Monitor an object that is handed back at `time` [s]; positions must be up to date."""
        self.end(free)
        if not self.is_busy:
            self._updated_at = time
        if not self._collisions.is_on(free.body):
            return
        returned = _ReturnedObject(free, self._pairs(free))
        for key, nearest in returned.pairs.nearest().items():
            if nearest.distance < 0 and self._collisions.is_on(key[1]):
                self._handle_overlap(returned, key, nearest, time)
        if returned.passing:
            self.returned[free.name] = returned

    def end(self, free: FreeBody) -> None:
        """Stop monitoring an object and restore its usual collisions."""
        self.margins.reset(free.members)
        returned = self.returned.pop(free.name, None)
        if returned is not None:
            for pair in returned.passing:
                self._collisions.include(*pair)

    def update(self, time: float) -> None:
        """Update all monitored objects after a step."""
        elapsed, self._updated_at = time - self._updated_at, time
        self.margins.decay(elapsed)
        for name, returned in list(self.returned.items()):
            self._update_object(returned, time)
            if not returned.passing:
                del self.returned[name]

    def _pairs(self, free: FreeBody) -> Pairs:
        # Cached: pairs of all bodies of an object with all other bodies.
        if free.name not in self._all_pairs:
            self._all_pairs[free.name] = Pairs(
                self._model, self._data, self._tables, free.members, CLEARANCE
            )
        return self._all_pairs[free.name]

    def _handle_overlap(
        self, returned: _ReturnedObject, key: tuple[int, int], nearest: Nearest, time: float
    ) -> None:
        kind = self._tables.body_kinds[key[1]]
        supports = kind is BodyKind.STATIC or (
            kind is BodyKind.FREE and abs(nearest.normal[2]) > _SUPPORT_COSINE
        )
        if supports or not self._collisions.exclude(*key):
            if -nearest.distance > _TOUCH:
                self._separate_slowly(key, nearest)
            return
        returned.passing[key] = time + PASSING_TIME
        self._remark(
            key, f"overlap by {-1e3 * nearest.distance:.2f} mm; they do not collide for now"
        )

    def _update_object(self, returned: _ReturnedObject, time: float) -> None:
        near = returned.pairs.nearest()
        for key, deadline in list(returned.passing.items()):
            nearest = near.get(key)
            if nearest is not None and time < deadline:
                continue
            del returned.passing[key]
            self._collisions.include(*key)
            if nearest is None:
                self._remark(key, f"are {1e3 * CLEARANCE:g} mm apart; they collide again")
            elif nearest.distance < -_TOUCH:
                self._separate_slowly(key, nearest)
            else:
                self._remark(key, "collide again")

    def _separate_slowly(self, key: tuple[int, int], nearest: Nearest) -> None:
        self.margins.soften(*key)
        self._remark(key, f"overlap by {-1e3 * nearest.distance:.2f} mm; they are parted slowly")

    def _remark(self, key: tuple[int, int], text: str) -> None:
        first, second = (self._tables.frames[self._tables.body_frames[body]] for body in key)
        self.remarks.append(Remark(first, second, text))

    def save(self) -> object:
        """Return the state for `restore`, without the model's arrays."""
        returned = {name: dict(r.passing) for name, r in self.returned.items()}
        return returned, self._updated_at, self.margins.save()

    def restore(self, state: object) -> None:
        """Restore a saved state."""
        assert isinstance(state, tuple)
        returned, self._updated_at, margins = state
        free = self._tables.free
        self.returned = {
            name: _ReturnedObject(free[name], self._pairs(free[name]), dict(passing))
            for name, passing in returned.items()
        }
        self.margins.restore(margins)
