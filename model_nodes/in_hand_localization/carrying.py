"""The motion of an object that sticks to the fingers, and where these have pressed it last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.in_hand_localization.geometry import PlacedHand
from model_nodes.in_hand_localization.pose_filter import Touch

_HELD_BACK = 0.05
"""Weight of zero motion in the hand, relative to that of one finger."""
ARM_M = 0.03
"""Lever arm that converts rotations to displacements [m]."""
_HOLD = np.square([_HELD_BACK] * 3 + [_HELD_BACK * ARM_M] * 3)


def carried(
    touches: Sequence[Touch], before: PlacedHand, now: PlacedHand, center: Floats
) -> tuple[Floats, Floats]:
    """Return displacement and rotation vector, both (3,) in the hand's frame, of an object that sticks to fingers.

    It is the rigid motion that best fits the motions of the fingers' surfaces at the contact points.

    Args:
        touches: the contacts of links with the object, at `before`.
        before: the hand's surface at the last step.
        now: the hand's surface at this step.
        center: (3,) the object's origin in the hand's frame.
    """
    if not touches:
        return np.zeros(3), np.zeros(3)
    links = [touch.link for touch in touches]
    points = np.array([touch.point for touch in touches])
    # The displacement of the contact points if they stick to the links.
    turns = now.rotations[links] @ before.rotations[links].transpose(0, 2, 1)
    moves = np.einsum("nij,nj->ni", turns, points - before.origins[links])
    moves += now.origins[links] - points
    rows = np.zeros((len(links), 3, 6))
    rows[:, (0, 1, 2), (0, 1, 2)] = 1.0
    x, y, z = (points - center).T
    rows[:, 0, 4], rows[:, 0, 5] = z, -y
    rows[:, 1, 3], rows[:, 1, 5] = -z, x
    rows[:, 2, 3], rows[:, 2, 4] = y, -x
    flat = rows.reshape(-1, 6)
    square = flat.T @ flat
    square.flat[::7] += _HOLD
    solution = np.asarray(np.linalg.solve(square, flat.T @ moves.ravel()), np.float64)
    return solution[:3], solution[3:]


def opposed(touches: Sequence[Touch], cosine: float) -> bool:
    """Whether any two touch the object from opposing sides: the cosine of their normals is below `cosine`."""
    normals = np.array([touch.normal for touch in touches]).reshape(-1, 3)
    return bool((normals @ normals.T).min(initial=1.0) < cosine)


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
