"""Determines the supports of objects and the entities in contact, from the main model's distances."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hetwin_core.ensemble.scene.values import Floats


class Supports:
    """Finds supports: entities within the clearing distance whose normal points up.

    Args:
        objects: indices of the observed objects.
        ignored: indices of entities that never support, such as the links of hands.
        distance: an entity farther than this is clear of the object [m].
        upward: least vertical component of the unit normal from a support to the object.
    """

    def __init__(
        self,
        objects: Collection[int],
        ignored: Collection[int],
        distance: float,
        upward: float,
    ) -> None:
        self._objects = frozenset(objects)
        self._ignored = frozenset(ignored)
        self._distance = distance
        self._upward = upward
        self._below: dict[int, dict[int, float]] = {}
        self._touching: dict[int, set[int]] = {}

    def update(self, proximity: Floats) -> None:
        """Update with the rows of a snapshot (`PROXIMITY_COLUMNS`)."""
        self._below.clear()
        self._touching.clear()
        for row in proximity[proximity[:, 2] <= self._distance, :9].tolist():
            first, second, distance, up = int(row[0]), int(row[1]), row[2], row[8]
            if first in self._objects and second not in self._ignored:
                self._note(first, second, distance, up)
            if second in self._objects and first not in self._ignored:
                self._note(second, first, distance, -up)

    def touching(self, entity: int) -> frozenset[int]:
        """Return the indices of the entities within the clearing distance of an object."""
        return frozenset(self._touching.get(entity, ()))

    def support(self, entity: int, current: int) -> int:
        """Return the index of an object's support: `current` if it still is one, else the nearest, else -1."""
        below = self._below.get(entity)
        if not below:
            return -1
        return current if current in below else min(below, key=below.__getitem__)

    def _note(self, entity: int, other: int, distance: float, up: float) -> None:
        self._touching.setdefault(entity, set()).add(other)
        if up >= self._upward:
            self._below.setdefault(entity, {})[other] = distance


def combined(groups: Iterable[Iterable[int]]) -> frozenset[int]:
    """Return all indices of some groups."""
    return frozenset(index for group in groups for index in group)
