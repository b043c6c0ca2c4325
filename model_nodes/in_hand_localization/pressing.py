"""Which fingers press an object: by their torques, or, where these are unknown, because something blocks them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.hands import HandDescription
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.in_hand_localization.settings import Settings

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
        window_s: efforts are averaged over this time for `strength` [s].

    Attributes:
        pushing: (fingers,) which fingers push.
        known: (fingers,) of which fingers all joints have efforts; a joint whose effort has always been 0 has none.

    Raises:
        BadInput: if the robot has no such joint, or no efforts.
    """

    def __init__(
        self,
        layout: Layout,
        hand: HandDescription,
        joints: Sequence[Sequence[str]],
        least: float,
        window_s: float,
    ) -> None:
        if not layout.has(hand.robot, "joint_efforts"):
            raise BadInput(
                "the scene has no joint_efforts of a robot of this name",
                where=f"hand {hand.name}: joints",
                found=hand.robot,
            )
        start = layout.range_of(hand.robot, "joint_efforts").start
        known = layout.entity(hand.robot).joints
        signs = closing_signs(hand)
        every = [joint for finger in joints for joint in finger]
        self._indices = np.array([start + known.index(joint) for joint in every], np.intp)
        self._signs = np.array([signs[joint] for joint in every])
        self._finger = np.repeat(np.arange(len(joints)), [len(finger) for finger in joints])
        self._least = least
        self._window_s = window_s
        self._ends = np.cumsum([0, *(len(finger) for finger in joints)])
        self._moving = [finger for finger, own in enumerate(joints) if own]
        self._begins = self._ends[self._moving]
        self._silent = np.ones(len(every), np.bool_)
        self._mean = np.zeros(len(every))
        self._strongest = self._ends[:-1].copy()
        self.pushing: NDArray[np.bool_] = np.zeros(len(joints), np.bool_)
        self.known: NDArray[np.bool_] = np.zeros(len(joints), np.bool_)

    def update(self, scene: Snapshot, seconds: float) -> None:
        """Update with the current efforts; unknown ones (NaN) are ignored.

        Args:
            scene: with the efforts.
            seconds: time since the last update [s].
        """
        efforts = scene.values[self._indices]
        closing = np.where(self._signs == 0, np.abs(efforts), efforts * self._signs)
        most = np.zeros(len(self.pushing))
        if len(self._begins):
            most[self._moving] = np.fmax(0.0, np.fmax.reduceat(closing, self._begins))
        self.pushing = most >= np.where(self.pushing, _RELEASE_FRACTION, 1.0) * self._least
        closing[np.isnan(closing)] = 0.0
        self._silent &= closing == 0.0
        self.known = np.ones(len(self.pushing), np.bool_)
        self.known[self._finger[self._silent]] = False
        share = 1.0 - math.exp(-seconds / self._window_s) if self._window_s > 0 else 1.0
        self._mean += share * (closing - self._mean)
        for finger in self.pushing.nonzero()[0].tolist():
            mine = slice(self._ends[finger], self._ends[finger + 1])
            self._mean[mine] = np.maximum(self._mean[mine], closing[mine])
            self._strongest[finger] = mine.start + int(self._mean[mine].argmax())

    def strength(self, fingers: Sequence[int]) -> float:
        """Return the mean effort of these fingers [N or Nm], NaN if it is unknown.

        It is averaged over the window since a finger pushed last; of each finger the joint counts that had the
        greatest effort then.
        """
        joints = self._strongest[list(fingers)]
        known = joints[~self._silent[joints]]
        return float(self._mean[known].mean()) if len(known) else math.nan


def closing_signs(hand: HandDescription) -> dict[str, float]:
    """Return the sign of each joint's closing direction, 0 if it is unknown."""
    if len(hand.opened) != len(hand.joints) or len(hand.closed) != len(hand.joints):
        return dict.fromkeys(hand.joints, 0.0)
    travels = np.array(hand.closed) - np.array(hand.opened)
    return dict(zip(hand.joints, np.sign(travels).tolist(), strict=True))


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


class Pressing:
    """Detects which fingers press.

    Args:
        layout: the scene's layout.
        joints: of each finger.
        limits: the model's parameters.

    Attributes:
        pushing: (fingers,) which fingers press.

    Raises:
        BadInput: if the robot has no such joint, or no efforts.
    """

    def __init__(self, layout: Layout, joints: Sequence[Sequence[str]], limits: Settings) -> None:
        hand = limits.hand
        self._torques = FingerTorques(
            layout, hand, joints, limits.contact_effort, limits.effort_window
        )
        self._stall = FingerStall(
            layout, hand, joints, limits.stall_speed, limits.stall_margin, limits.velocity_window
        )
        self._time_ns: int | None = None
        self.pushing: NDArray[np.bool_] = np.zeros(len(joints), np.bool_)

    def update(self, scene: Snapshot) -> None:
        """Update with the current efforts and positions."""
        before = scene.time_ns if self._time_ns is None else self._time_ns
        self._time_ns = scene.time_ns
        self._torques.update(scene, (scene.time_ns - before) * 1e-9)
        self._stall.update(scene)
        self.pushing = self._torques.pushing | (self._stall.blocked & ~self._torques.known)

    def stands_in(self, finger: int) -> bool:
        """Whether the finger's standing still stands for torques that are unknown."""
        return not self._torques.known[finger]

    def strength(self, fingers: Sequence[int]) -> float:
        """Return the mean effort of these fingers [N or Nm], NaN if it is unknown."""
        return self._torques.strength(fingers)
