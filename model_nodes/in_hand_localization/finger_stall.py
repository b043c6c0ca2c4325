"""Detects which fingers stand still where nothing but an object can have stopped them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.hands import HandDescription
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.in_hand_localization.finger_torques import closing_signs


class FingerStall:
    """Detects from the positions of a finger's joints whether something blocks it.

    A finger that stands still between its opened and its closed posture is blocked; one that moves, or has reached
    either end, is not. Where the hand does not specify these postures, no finger is.

    Args:
        layout: the scene's layout.
        hand: the hand with the fingers.
        joints: of each finger.
        speed: a finger slower than this stands still, as a share of its travel [1/s].
        margin: distance from both ends, as a share of its travel.
        window_s: the speed is averaged over this time [s].

    Attributes:
        blocked: (fingers,) which fingers are blocked.
    """

    def __init__(
        self,
        layout: Layout,
        hand: HandDescription,
        joints: Sequence[Sequence[str]],
        speed: float,
        margin: float,
        window_s: float,
    ) -> None:
        self._speed, self._margin = speed, margin
        self._window_ns = round(window_s * 1e9)
        self._shares: deque[tuple[int, Floats]] = deque()
        self.blocked: NDArray[np.bool_] = np.zeros(len(joints), np.bool_)
        signs = closing_signs(hand)
        travels = [(f, j) for f, of_one in enumerate(joints) for j in of_one if signs[j] != 0]
        self._is_known = layout.has(hand.robot, "joint_positions") and bool(travels)
        if not self._is_known:
            return
        start = layout.range_of(hand.robot, "joint_positions").start
        known = layout.entity(hand.robot).joints
        at = [hand.joints.index(joint) for _, joint in travels]
        self._indices = np.array([start + known.index(joint) for _, joint in travels], np.intp)
        self._opened = np.array(hand.opened)[at]
        self._ways = np.array(hand.closed)[at] - self._opened
        self._finger = np.array([finger for finger, _ in travels], np.intp)
        self._counts = np.maximum(np.bincount(self._finger, minlength=len(joints)), 1)

    def update(self, scene: Snapshot) -> None:
        """Update with the current positions."""
        if not self._is_known:
            return
        joints = (scene.values[self._indices] - self._opened) / self._ways
        sums = np.bincount(self._finger, weights=joints, minlength=len(self.blocked))
        share = sums / self._counts
        now, past = scene.time_ns, self._shares
        past.append((now, share))
        while len(past) > 2 and past[1][0] <= now - self._window_ns:
            past.popleft()
        seconds = (now - past[0][0]) * 1e-9
        if seconds <= 0.0:
            return
        still = np.abs(share - past[0][1]) <= self._speed * seconds
        inside = (share >= self._margin) & (share <= 1.0 - self._margin)
        self.blocked = still & inside
