"""Motion of an object that sticks to the fingers, and the last contact of each finger with it."""

from __future__ import annotations

import numpy as np

from hetwin_in_hand.geometry import PlacedHand
from hetwin_in_hand.pose_filter import NO_TOUCHES, Touches
from hetwin_suite.model import Floats

_HELD_BACK = 0.05
"""Weight of zero motion in the hand, relative to that of one finger."""
ARM_M = 0.03
"""Lever arm that converts rotations to displacements [m]."""
_UNMOVED = np.eye(3, 6).ravel()
_PLUS, _MINUS = np.array([11, 15, 4]), np.array([16, 5, 9])
"""Indices of x, y and z of a lever arm, and of their negatives, in a contact's flattened (3, 6) Jacobian."""
_HOLD = np.square([_HELD_BACK] * 3 + [_HELD_BACK * ARM_M] * 3)


def carried(
    touches: Touches, before: PlacedHand, now: PlacedHand, center: Floats
) -> tuple[Floats, Floats]:
    """Return displacement and rotation vector, both (3,) in the hand's frame, of an object that sticks to fingers.

    It is the rigid motion that best fits the motions of the fingers' surfaces at the contact points.

    Args:
        touches: the contacts of links with the object, at `before`.
        before: the hand's surface at the last step.
        now: the hand's surface at this step.
        center: (3,) the object's origin in the hand's frame.
    """
    links, points = touches.links, touches.points
    if not links:
        return np.zeros(3), np.zeros(3)
    # The displacement of the contact points if they stick to the links.
    turns = now.rotations[links] @ before.rotations[links].transpose(0, 2, 1)
    moves = np.einsum("nij,nj->ni", turns, points - before.origins[links])
    moves += now.origins[links] - points
    flat = np.empty((3 * len(links), 6))
    rows = flat.reshape(-1, 18)
    rows[:] = _UNMOVED
    rows[:, _PLUS] = away = points - center
    rows[:, _MINUS] = -away
    square = flat.T @ flat
    square.reshape(-1)[::7] += _HOLD
    solution = np.asarray(np.linalg.solve(square, flat.T @ moves.ravel()), np.float64)
    return solution[:3], solution[3:]


def opposed(normals: Floats, cosine: float) -> bool:
    """Return whether the cosine between any two contact normals (n, 3) is below `cosine`."""
    return bool((normals @ normals.T).min(initial=1.0) < cosine)


class Grip:
    """The last contact of each finger that has pressed a held object.

    A finger's motion since its last contact does not depend on errors of its joint zeros or of the object's size.

    Attributes:
        touches: the contacts, in the order of the fingers' first contacts.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all contacts."""
        self.touches = NO_TOUCHES
        self._locals = np.empty((0, 3))

    def press(self, touches: Touches, placed: PlacedHand) -> None:
        """Store the contacts of the fingers that press now."""
        turns, origins = placed.rotations[touches.links], placed.origins[touches.links]
        places = ((touches.points - origins)[:, None] @ turns)[:, 0]
        if touches.fingers != self.touches.fingers:
            places, touches = self._with_others(places, touches)
        self.touches, self._locals = touches, places

    def _with_others(self, places: Floats, touches: Touches) -> tuple[Floats, Touches]:
        """Merge new contacts (positions in the links' frames, and touches) into those of all fingers."""
        both = self.touches.and_(touches)
        last = {finger: row for row, finger in enumerate(both.fingers)}
        rows = list(last.values())
        return np.concatenate([self._locals, places])[rows], both.of(rows)

    def opened(self, placed: PlacedHand) -> dict[int, float]:
        """Return each finger's displacement away from the object since its last contact [m]; negative: towards it."""
        touches = self.touches
        now = (placed.rotations[touches.links] @ self._locals[:, :, None])[:, :, 0]
        ways = now + placed.origins[touches.links] - touches.points
        gaps = (ways[:, None] @ touches.normals[:, :, None])[:, 0, 0]
        return dict(zip(touches.fingers, gaps.tolist(), strict=True))
