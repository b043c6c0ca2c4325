"""What is seen of the twin while it steps along a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hetwin_core.ensemble.scene.values import Floats

TOUCHING_M = 1e-3
"""Pairs that are nearer than this touch [m]."""


@dataclass(frozen=True, slots=True)
class Look:
    """The twin at one time of a plan.

    Attributes:
        time: of the plan [s]; negative before it begins.
        near: (entity, other) -> distance [m], of links of robots to static bodies and other links, and of objects to
            everything, as far as the twin was asked to see.
        poses: (7,) x y z [m], qw qx qy qz in the world, by entity.
    """

    time: float
    near: Mapping[tuple[str, str], float]
    poses: Mapping[str, Floats]

    def touching(self, entity: str) -> frozenset[str]:
        """Return what an object touches."""
        pairs = [pair for pair, distance in self.near.items() if distance <= TOUCHING_M]
        return frozenset(other for pair in pairs if entity in pair for other in pair) - {entity}
