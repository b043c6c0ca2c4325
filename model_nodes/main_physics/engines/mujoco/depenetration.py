"""Hands objects back to physics where they overlap other bodies, without shooting them out.

What an object would fall through (static bodies, free ones below or above it) it keeps touching, but its
surface counts as that much further in and grows back at 1 cm/s. All parts of robots, and what it overlaps
sideways, it passes through until the two are 1 mm apart, at most 0.5 s. What still overlaps then is parted
slowly by thinner surfaces too: a robot's link gets a thinner one at once; an object that overlaps another
free one thins during the second half of that time, so that it sinks slowly rather than falls.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco as mj

from model_nodes.main_physics.engines.engine import Remark
from model_nodes.main_physics.engines.mujoco.collisions import Collisions
from model_nodes.main_physics.engines.mujoco.contact_margins import Skins
from model_nodes.main_physics.engines.mujoco.distances import Nearest, Pairs
from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Sort, Tables

CLEARANCE = 1e-3
PASSING_TIME = 0.5
_THINNING_TIME = 0.25
_TOUCH = 1e-4
"""Resting contacts overlap by less than this; more is an overlap [m]."""
_STEEP = 0.5
"""Cosine to the vertical above which a contact holds an object up."""


@dataclass(slots=True)
class _Returned:
    free: FreeBody
    pairs: Pairs
    passing: dict[tuple[int, int], float] = field(default_factory=dict)
    """(body, other) -> until when [s]."""


class Overlaps:
    """Objects that were handed back and still overlap something."""

    def __init__(
        self, model: mj.MjModel, data: mj.MjData, tables: Tables, collisions: Collisions
    ) -> None:
        self._model, self._data, self._tables = model, data, tables
        self._collisions = collisions
        self._skins = Skins(model, tables)
        self._returned: dict[str, _Returned] = {}
        self._all_pairs: dict[str, Pairs] = {}
        self._seen_at = 0.0
        self.remarks: list[Remark] = []

    @property
    def any(self) -> bool:
        """Whether anything is still to be watched."""
        return bool(self._returned) or self._skins.any

    @property
    def names(self) -> tuple[str, ...]:
        """The objects that still pass through others."""
        return tuple(self._returned)

    def begin(self, free: FreeBody, time: float) -> None:
        """An object is physics' own from `time` [s] on; positions must be up to date."""
        self.end(free)
        if not self.any:
            self._seen_at = time
        if not self._collisions.is_on(free.body):
            return
        returned = _Returned(free, self._pairs(free))
        returned.pairs.forget()
        for key, nearest in returned.pairs.nearest().items():
            if nearest.distance < 0 and self._collisions.is_on(key[1]):
                self._soften(returned, key, nearest, time)
        if returned.passing:
            self._returned[free.name] = returned

    def end(self, free: FreeBody) -> None:
        """Stop watching an object; everything collides as usual again."""
        self._skins.restore(free.members)
        returned = self._returned.pop(free.name, None)
        if returned is not None:
            for pair in returned.passing:
                self._collisions.include(*pair)

    def watch(self, time: float) -> None:
        """Look at all objects again."""
        passed, self._seen_at = time - self._seen_at, time
        self._skins.grow(passed)
        for name, returned in list(self._returned.items()):
            self._look(returned, time, passed)
            if not returned.passing:
                self._skins.release(returned.free.members)
                del self._returned[name]

    def _pairs(self, free: FreeBody) -> Pairs:
        # Made once: all of an object against all else.
        if free.name not in self._all_pairs:
            self._all_pairs[free.name] = Pairs(
                self._model, self._data, self._tables, free.members, CLEARANCE
            )
        return self._all_pairs[free.name]

    def _soften(
        self, returned: _Returned, key: tuple[int, int], nearest: Nearest, time: float
    ) -> None:
        sort = self._tables.sorts[key[1]]
        holds = sort is Sort.STATIC or (sort is Sort.FREE and abs(nearest.normal[2]) > _STEEP)
        if holds or not self._collisions.exclude(*key):
            if -nearest.distance > _TOUCH:
                self._skins.shrink(returned.free.members, -nearest.distance)
                self._remark_parting(key, nearest)
            return
        returned.passing[key] = time + PASSING_TIME
        self._remark(
            key, f"overlap by {-1e3 * nearest.distance:.2f} mm; they do not collide for now"
        )

    def _look(self, returned: _Returned, time: float, passed: float) -> None:
        near = returned.pairs.nearest()
        for key, deadline in list(returned.passing.items()):
            nearest = near.get(key)
            if nearest is not None and time < deadline:
                self._thin(returned, key, nearest, deadline - time, passed)
                continue
            del returned.passing[key]
            self._collisions.include(*key)
            if nearest is None:
                self._remark(key, f"are {1e3 * CLEARANCE:g} mm apart; they collide again")
            elif nearest.distance < -_TOUCH:
                thinner = returned.free.members if self._is_free(key[1]) else (key[1],)
                self._skins.shrink(thinner, -nearest.distance)
                self._remark_parting(key, nearest)
            else:
                self._remark(key, "collide again")

    def _thin(
        self,
        returned: _Returned,
        key: tuple[int, int],
        nearest: Nearest,
        left: float,
        passed: float,
    ) -> None:
        # At a steady pace, to be as thin as needed when the time is over.
        if nearest.distance < -_TOUCH and self._is_free(key[1]) and left < _THINNING_TIME:
            share = min(1.0, 1.0 - (left - passed) / _THINNING_TIME)
            self._skins.shrink(returned.free.members, -nearest.distance * share, hold=True)

    def _is_free(self, body: int) -> bool:
        return self._tables.sorts[body] is Sort.FREE

    def _remark_parting(self, key: tuple[int, int], nearest: Nearest) -> None:
        self._remark(key, f"overlap by {-1e3 * nearest.distance:.2f} mm; they are parted slowly")

    def _remark(self, key: tuple[int, int], text: str) -> None:
        one, other = (self._tables.frames[self._tables.body_frames[body]] for body in key)
        self.remarks.append(Remark(one, other, text))

    def save(self) -> object:
        """What `restore` needs; the model's arrays are not in it."""
        returned = {
            name: _Returned(r.free, r.pairs, dict(r.passing)) for name, r in self._returned.items()
        }
        return returned, self._seen_at, self._skins.save()

    def restore(self, state: object) -> None:
        """Go back to what `save` gave."""
        assert isinstance(state, tuple)
        returned, self._seen_at, skins = state
        self._returned = {
            name: _Returned(r.free, r.pairs, dict(r.passing)) for name, r in returned.items()
        }
        self._skins.set_state(skins)
