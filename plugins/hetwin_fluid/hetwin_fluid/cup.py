"""The geometry of the cup: the volume that its shapes enclose, and the balls that have left it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.model import BadInput, Entity, Floats, Shape, ShapeKind
from hetwin_suite.shapes import interior_of

Flags = NDArray[np.bool_]


class Cup:
    """A hollow body, open along its z axis, in its own frame.

    Attributes:
        name: name of its entity.
        walls: shapes that hold a fluid.
        low: (3,) smallest coordinates of the outline and the bottom [m].
        high: (3,) largest coordinates of the outline and the rim [m].

    Raises:
        BadInput: if the entity has no shapes.
    """

    def __init__(self, entity: Entity) -> None:
        self.name = entity.name
        solid = [s for s in entity.shapes if s.collides and s.kind is not ShapeKind.PLANE]
        self.walls: tuple[Shape, ...] = tuple(solid)
        if not solid:
            raise BadInput(
                "this cup has no shapes that could hold a fluid",
                where="cup",
                found=entity.name,
                expected="an entity with colliding shapes, such as walls and a bottom",
            )
        inside = interior_of(entity)
        self._corners = inside.outline
        edges = np.roll(inside.outline, -1, axis=0) - inside.outline
        lengths = np.linalg.norm(edges, axis=1)
        self._outward = np.stack([edges[:, 1], -edges[:, 0]], axis=1) / lengths[:, None]
        self._offsets = (self._outward * self._corners).sum(axis=1)
        self.low: Floats = np.array([*self._corners.min(axis=0), inside.bottom])
        self.high: Floats = np.array([*self._corners.max(axis=0), inside.rim])

    def beyond_outline(self, points: Floats) -> Floats:
        """Return (n,) distance of points from the outline, projected along z; negative inside [m]."""
        away: Floats = (points[:, :2] @ self._outward.T - self._offsets).max(axis=1)
        return away

    def holds(self, points: Floats) -> Flags:
        """Return (n,) whether each point is between bottom and rim and within the outline."""
        z = points[:, 2]
        held: Flags = (
            (z >= self.low[2]) & (z <= self.high[2]) & (self.beyond_outline(points) <= 0.0)
        )
        return held

    def keeps_all(self, points: Floats, radius: float) -> bool:
        """Whether `left_by` would return only false; faster to evaluate."""
        z = points[:, 2]
        away = points[:, :2] @ self._outward.T - self._offsets
        return bool(
            np.maximum.reduce(z) <= self.high[2] + 2 * radius
            and np.minimum.reduce(z) >= self.low[2] - radius
            and np.maximum.reduce(away, axis=None) <= radius
        )

    def left_by(self, points: Floats, radius: float) -> Flags:
        """Return (n,) whether each ball left: a diameter above the rim, or a radius beyond outline or bottom."""
        z = points[:, 2]
        out: Flags = (
            (z > self.high[2] + 2 * radius)
            | (z < self.low[2] - radius)
            | (self.beyond_outline(points) > radius)
        )
        return out

    def missed_by(self, points: Floats, radius: float) -> Flags:
        """Return (n,) whether each falling ball has missed the cup: it is below the rim, outside the outline."""
        z = points[:, 2]
        past: Flags = (z < self.low[2] - radius) | (
            (z < self.high[2] - radius) & (self.beyond_outline(points) > radius)
        )
        return past
