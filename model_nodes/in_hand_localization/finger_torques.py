"""Detects which fingers push, from the torques of their joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.hands import HandDescription
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot

_RELEASE_FRACTION = 0.5
"""A finger stops pushing when its effort falls below this fraction of the threshold."""


class FingerTorques:
    """Detects from the efforts of a finger's joints whether it pushes an object.

    Efforts count in the closing direction of the hand; if that is not specified, in both directions.

    Args:
        layout: the scene's layout.
        hand: the hand with the fingers.
        joints: of each finger.
        least: least effort of a pushing finger [N or Nm].

    Attributes:
        pushing: (fingers,) which fingers push.

    Raises:
        BadInput: if the robot has no such joint, or no efforts.
    """

    def __init__(
        self, layout: Layout, hand: HandDescription, joints: Sequence[Sequence[str]], least: float
    ) -> None:
        if not layout.has(hand.robot, "joint_efforts"):
            raise BadInput(
                "the scene has no joint_efforts of a robot of this name",
                where=f"hand {hand.name}: joints",
                found=hand.robot,
            )
        start = layout.range_of(hand.robot, "joint_efforts").start
        known = layout.entity(hand.robot).joints
        signs = _closing(hand)
        every = [joint for finger in joints for joint in finger]
        self._indices = np.array([start + known.index(joint) for joint in every], np.intp)
        self._signs = np.array([signs[joint] for joint in every])
        self._finger = np.repeat(np.arange(len(joints)), [len(finger) for finger in joints])
        self._least = least
        self.pushing: NDArray[np.bool_] = np.zeros(len(joints), np.bool_)

    def update(self, scene: Snapshot) -> None:
        """Update with the current efforts; unknown ones (NaN) are ignored."""
        efforts = scene.values[self._indices]
        closing = np.where(self._signs == 0, np.abs(efforts), efforts * self._signs)
        most = np.zeros(len(self.pushing))
        np.fmax.at(most, self._finger, closing)
        self.pushing = most >= np.where(self.pushing, _RELEASE_FRACTION, 1.0) * self._least


def _closing(hand: HandDescription) -> dict[str, float]:
    """Return the sign of each joint's closing direction, 0 if it is unknown."""
    if len(hand.opened) != len(hand.joints) or len(hand.closed) != len(hand.joints):
        return dict.fromkeys(hand.joints, 0.0)
    travels = np.array(hand.closed) - np.array(hand.opened)
    return dict(zip(hand.joints, np.sign(travels).tolist(), strict=True))
