"""Negative contact margins of pairs of bodies: their contacts begin as deep as they are found, and less deep with time.

MuJoCo's own margin (geom_margin) shrinks the geoms, turns those inside out that are thinner than it, and holds for all
contacts of a geom. Here contacts are found at the true surfaces, and only the depth beyond the margin is resolved: the
rest is taken out of the reference acceleration of the contact's constraint, after `mj_step1`, which computes it, and
before `mj_step2`, which solves the constraints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import mujoco as mj

from model_nodes.main_physics.engines.copied import Copied

GROWTH = 0.01
"""Rate at which a margin returns to zero [m/s]."""

_Pair = tuple[int, int]
"""Two bodies or two geoms, the lower id first."""


class ContactMargins(Copied):
    """The pairs of bodies with a negative contact margin; each pair of their geoms has its own.

    Attributes:
        any: whether any pair has a margin.
    """

    saved_fields = ("_fresh", "_depths")

    def __init__(self, model: mj.MjModel, data: mj.MjData) -> None:
        self._model, self._data = model, data
        self._pyramidal = model.opt.cone == mj.mjtCone.mjCONE_PYRAMIDAL.value
        self._fresh: set[_Pair] = set()
        self._depths: dict[_Pair, dict[_Pair, float]] = {}
        """Bodies -> geoms -> how deep they may overlap [m]."""
        self.any = False

    def _changed(self) -> None:
        self.any = bool(self._fresh or self._depths)

    @property
    def bodies(self) -> frozenset[int]:
        """The bodies of all pairs that have a margin."""
        return frozenset(body for pair in (*self._fresh, *self._depths) for body in pair)

    def soften(self, body: int, other: int) -> None:
        """Let the contacts of a pair begin as deep as the next `apply` finds them."""
        self._fresh.add(_pair(body, other))
        self._changed()

    def reset(self, bodies: Iterable[int]) -> None:
        """Reset the margins of bodies at once."""
        if not self.any:
            return
        own = frozenset(bodies)
        self._fresh = {pair for pair in self._fresh if own.isdisjoint(pair)}
        self._depths = {pair: of for pair, of in self._depths.items() if own.isdisjoint(pair)}
        self._changed()

    def grow(self, seconds: float) -> None:
        """Let all margins decay for some time."""
        for pair, depths in list(self._depths.items()):
            rest = {geoms: depth - GROWTH * seconds for geoms, depth in depths.items()}
            self._depths[pair] = {geoms: depth for geoms, depth in rest.items() if depth > 0.0}
            if not self._depths[pair]:
                del self._depths[pair]
        self._changed()

    def apply(self) -> None:
        """Take the margins out of what `mj_step1` has just computed."""
        contacts = list(self._contacts())
        for pair, geoms, rows in contacts:
            if pair in self._fresh:
                depths = self._depths.setdefault(pair, {})
                depths[geoms] = max(depths.get(geoms, 0.0), self._depth(rows.start))
        self._fresh.clear()
        for pair, geoms, rows in contacts:
            depth = self._depths.get(pair, {}).get(geoms, 0.0)
            # The reference acceleration is -damping * velocity + stiffness * impedance * depth.
            stiffness, _, impedance, _ = self._data.efc_KBIP[rows.start]
            self._data.efc_aref[rows] -= stiffness * impedance * depth
        self._changed()

    def _contacts(self) -> Iterator[tuple[_Pair, _Pair, slice]]:
        """The bodies, the geoms and the constraints of each contact whose bodies have a margin."""
        contacts = self._data.contact
        bodies = self._model.geom_bodyid[contacts.geom].reshape(-1, 2).tolist()
        for i, (one, other) in enumerate(bodies):
            pair, first = _pair(one, other), int(contacts.efc_address[i])
            if first >= 0 and (pair in self._fresh or pair in self._depths):
                dimensions = int(contacts.dim[i])
                count = 2 * (dimensions - 1) if self._pyramidal and dimensions > 1 else 1
                yield pair, _pair(*contacts.geom[i].tolist()), slice(first, first + count)

    def _depth(self, row: int) -> float:
        return float(self._data.efc_margin[row] - self._data.efc_pos[row])

    def restore(self, state: Any) -> None:
        """Restore a saved state."""
        super().restore(state)
        self._changed()


def _pair(one: int, other: int) -> _Pair:
    return (one, other) if one < other else (other, one)
