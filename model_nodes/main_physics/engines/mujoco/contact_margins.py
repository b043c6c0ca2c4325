"""Surfaces that count as further in than they are, and grow back slowly."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco as mj

from model_nodes.main_physics.engines.mujoco.tables import Tables

GROWTH = 0.01
"""How fast a body gets its full size back [m/s]."""


class Skins:
    """Bodies whose contacts begin only some way in: MuJoCo's margin, made negative."""

    def __init__(self, model: mj.MjModel, tables: Tables) -> None:
        self._model = model
        self._tables = tables
        self._depths: dict[int, float] = {}
        self._held: set[int] = set()

    @property
    def any(self) -> bool:
        """Whether any surface is not where it should be."""
        return bool(self._depths)

    def shrink(self, bodies: Iterable[int], depth: float, *, hold: bool = False) -> None:
        """Let the surfaces of bodies count as at least `depth` [m] further in.

        They grow back from the next `grow` on, unless they are held.
        """
        for body in bodies:
            self._set(body, max(depth, self._depths.get(body, 0.0)))
            (self._held.add if hold else self._held.discard)(body)

    def restore(self, bodies: Iterable[int]) -> None:
        """Give bodies their full size at once."""
        for body in bodies:
            self._held.discard(body)
            if body in self._depths:
                self._set(body, 0.0)

    def release(self, bodies: Iterable[int]) -> None:
        """Let held bodies grow back."""
        self._held.difference_update(bodies)

    def grow(self, seconds: float) -> None:
        """Let all surfaces that are not held come out by what they grow in that time."""
        for body, depth in list(self._depths.items()):
            if body not in self._held:
                self._set(body, max(0.0, depth - GROWTH * seconds))

    def _set(self, body: int, depth: float) -> None:
        self._model.geom_margin[list(self._tables.geoms[body])] = -depth
        if depth:
            self._depths[body] = depth
        else:
            self._depths.pop(body, None)

    def save(self) -> object:
        """What `set_state` needs; the model's arrays are not in it."""
        return dict(self._depths), set(self._held)

    def set_state(self, state: object) -> None:
        """Go back to what `save` gave."""
        assert isinstance(state, tuple)
        self._depths, self._held = dict(state[0]), set(state[1])
