"""Negative contact margins: contacts of a body begin below its surface, by a depth that decays slowly."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco as mj

from model_nodes.main_physics.engines.mujoco.tables import Tables

GROWTH = 0.01
"""Rate at which a margin returns to zero [m/s]."""


class ContactMargins:
    """The bodies with a negative contact margin (MuJoCo's geom_margin)."""

    def __init__(self, model: mj.MjModel, tables: Tables) -> None:
        self._model = model
        self._tables = tables
        self._depths: dict[int, float] = {}
        self._held: set[int] = set()

    @property
    def any(self) -> bool:
        """Whether any body has a margin."""
        return bool(self._depths)

    def shrink(self, bodies: Iterable[int], depth: float, *, hold: bool = False) -> None:
        """Let contacts of bodies begin at least `depth` [m] below their surfaces.

        The margins decay from the next `grow` on, unless they are held.
        """
        for body in bodies:
            self._set(body, max(depth, self._depths.get(body, 0.0)))
            (self._held.add if hold else self._held.discard)(body)

    def restore(self, bodies: Iterable[int]) -> None:
        """Reset the margins of bodies at once."""
        for body in bodies:
            self._held.discard(body)
            if body in self._depths:
                self._set(body, 0.0)

    def release(self, bodies: Iterable[int]) -> None:
        """Let the margins of held bodies decay."""
        self._held.difference_update(bodies)

    def grow(self, seconds: float) -> None:
        """Let all margins that are not held decay for some time."""
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
        """Return the state for `set_state`, without the model's arrays."""
        return dict(self._depths), set(self._held)

    def set_state(self, state: object) -> None:
        """Restore a saved state."""
        assert isinstance(state, tuple)
        self._depths, self._held = dict(state[0]), set(state[1])
