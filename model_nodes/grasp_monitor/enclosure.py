"""Determines which objects are between the fingers, from the main model's distances and normals."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple, TypeAlias

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.hands import HandDescription, sides_of
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats


class Touch(NamedTuple):
    """A finger near an object: its index, the distance [m], and the unit normal towards the object."""

    finger: int
    distance: float
    normal: tuple[float, float, float]


Touches: TypeAlias = dict[int, list[Touch]]
"""By index of the object."""


class Enclosure:
    """Finds objects between fingers.

    The links of one finger count as one side, and so does the palm where a single finger closes against it.

    Args:
        layout: the scene's layout.
        hand: the hand with the fingers.
        reach: distances above this are ignored [m].
        opposition: two normals oppose each other if their cosine is below this.

    Raises:
        BadInput: if a finger link is not in the scene, or all belong to one finger.
    """

    def __init__(
        self, layout: Layout, hand: HandDescription, reach: float, opposition: float
    ) -> None:
        self._finger = _fingers(layout, hand)
        self._reach = reach
        self._opposition = opposition

    def touches(self, proximity: Floats) -> Touches:
        """Return all objects within reach of a finger."""
        found: Touches = {}
        close = proximity[proximity[:, 2] <= self._reach]
        for row in close.tolist():
            finger = self._finger.get(int(row[1]))
            if finger is not None:
                touch = Touch(finger, row[2], (row[6], row[7], row[8]))
                found.setdefault(int(row[0]), []).append(touch)
        return found

    def between(self, touches: Touches, distance: float, preferred: int) -> int:
        """Return the index of the object that fingers touch on opposing sides, -1 if there is none.

        Args:
            touches: the result of `touches`.
            distance: largest distance of a touching finger [m].
            preferred: the object to select if there are several; otherwise the nearest.
        """
        gaps = {entity: self.gap(touches, entity) for entity in touches}
        held = {entity: gap for entity, gap in gaps.items() if gap <= distance}
        if preferred in held:
            return preferred
        return min(held, key=held.__getitem__, default=-1)

    def keeps(self, touches: Touches, entity: int, distance: float) -> bool:
        """Whether at least two fingers are still within a distance [m] of the object."""
        near = {touch.finger for touch in touches.get(entity, ()) if touch.distance <= distance}
        return len(near) > 1

    def gap(self, touches: Touches, entity: int) -> float:
        """Return the least distance [m] within which fingers touch the object on opposing sides, or infinity."""
        least = float("inf")
        for one, other in combinations(touches.get(entity, ()), 2):
            a, b = one.normal, other.normal
            cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
            if one.finger != other.finger and cosine < self._opposition:
                least = min(least, max(one.distance, other.distance))
        return least


def _fingers(layout: Layout, hand: HandDescription) -> dict[int, int]:
    """Return the index of the finger of each finger link, by the link's index."""
    roots = sides_of(layout, hand)
    order = {root: i for i, root in enumerate(dict.fromkeys(roots.values()))}
    if len(order) < 2:
        raise BadInput(
            "a hand needs two fingers, or a finger and a palm",
            where=f"hands.{hand.name}.joints",
            found=list(hand.joints),
            expected="joints of at least two fingers, or of one that closes against the hand's link",
        )
    return {layout.entity_id(link): order[root] for link, root in roots.items()}
