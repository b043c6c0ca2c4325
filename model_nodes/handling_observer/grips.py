"""Determines which hand holds which object, from grasp monitors and the frames of the objects' poses."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot


class Grips:
    """Finds the hand that holds an object.

    An object is held by a hand if the hand's grasp monitor reports it; or if its pose is given
    in the hand's frame, and the hand's monitor does not contradict or nothing else supports the
    object (a model may be responsible for an object that its hand has not touched yet). Once an
    object is held, either of the two conditions is sufficient.

    Args:
        layout: the scene's layout.
        hands: names of the hands.
    """

    def __init__(self, layout: Layout, hands: Sequence[str]) -> None:
        self._hands = [layout.entity_id(hand) for hand in hands]
        self._holding = [_offset(layout, hand, "holding") for hand in hands]
        self._object = [_offset(layout, hand, "held_object") for hand in hands]
        self._seen: dict[int, int] = {}
        self._frames: dict[int, bool] = {}

    def update(self, scene: Snapshot) -> None:
        """Read the grasp monitors' attributes."""
        self._seen.clear()
        self._frames.clear()
        values = scene.values
        for hand, holding, what in zip(self._hands, self._holding, self._object, strict=True):
            holds = holding is not None and values[holding] > 0.5
            if holds and what is not None:
                self._seen.setdefault(int(values[what]), hand)
            self._frames[hand] = holding is None or bool(holds and what is None)

    def holder(self, entity: int, frame: int, current: int, supported: bool) -> int:
        """Return the index of the hand that holds an object, -1 for none.

        Args:
            entity: index of the object.
            frame: index of the entity in whose frame its pose is given, -1 for the world.
            current: the hand that held it last, -1 for none.
            supported: whether something below supports it.
        """
        seen = self._seen.get(entity, -1)
        if current >= 0 and current in (seen, frame):
            return current
        if seen >= 0:
            return seen
        if frame in self._frames and (self._frames[frame] or not supported):
            return frame
        return -1


def _offset(layout: Layout, hand: str, attribute: str) -> int | None:
    if not layout.has(hand, attribute):
        return None
    return layout.slots[layout.slot_id(hand, attribute)].offset
