"""Where fingers have pressed an object last, and how far they have moved since."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.in_hand_localization.hand_surface import PlacedHand
from model_nodes.in_hand_localization.pose_filter import Touch


class Grip:
    """The contacts of a held object at the last time at which each finger pressed it.

    A finger's motion since then does not depend on errors of its joints' zeros or of the object's size.
    """

    def __init__(self) -> None:
        self._last: dict[int, tuple[Touch, Floats]] = {}

    def clear(self) -> None:
        """Forget all contacts."""
        self._last.clear()

    @property
    def fingers(self) -> list[int]:
        """The fingers that have pressed."""
        return list(self._last)

    def press(self, touches: Mapping[int, Touch], placed: PlacedHand) -> None:
        """Note the contacts of the fingers that press now."""
        for finger, touch in touches.items():
            turn = placed.rotations[touch.link]
            self._last[finger] = touch, (touch.point - placed.origins[touch.link]) @ turn

    def opened(self, placed: PlacedHand) -> dict[int, float]:
        """Return how far each finger has moved away from the object [m], negative towards it."""
        return {
            finger: float((self._now(touch, local, placed) - touch.point) @ touch.normal)
            for finger, (touch, local) in self._last.items()
        }

    def touch(self, finger: int) -> Touch:
        """Return the contact of a finger when it pressed last."""
        return self._last[finger][0]

    @staticmethod
    def _now(touch: Touch, local: Floats, placed: PlacedHand) -> Floats:
        return np.asarray(placed.rotations[touch.link] @ local + placed.origins[touch.link])
