"""Detection of fingers that press an object: by their torques, or by a stall if torques are unknown."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from hetwin_in_hand.settings import Settings
from hetwin_suite.model import BadInput, HandDescription, Layout, Snapshot

_RELEASE_FRACTION = 0.5
"""A finger stops pushing when its effort falls below this fraction of the threshold."""


class FingerTorques:
    """Detects from the efforts of a finger's joints whether it pushes an object.

    Efforts count in the closing direction of the hand; if that is not specified, in both directions.

    Args:
        layout: the scene's layout.
        hand: the hand with the fingers.
        joints: names of each finger's joints.
        least: minimum effort of a pushing finger [N or Nm].
        window_s: time constant of the average that `strength` returns [s].

    Attributes:
        pushing: (fingers,) whether the finger pushes.
        known: (fingers,) whether the efforts of all joints are known; an effort that was always 0 is unknown.

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
        self._signs = [signs[joint] for joint in every]
        self._least = least
        self._window_s = window_s
        ends = [0, *accumulate(len(finger) for finger in joints)]
        self._own = [tuple(range(*ends)) for ends in pairwise(ends)]
        self._silent = [True] * len(every)
        self._mean = [0.0] * len(every)
        self._strongest = ends[:-1]
        self.pushing = self.known = [False] * len(joints)

    def update(self, scene: Snapshot, seconds: float) -> None:
        """Update with the current efforts; unknown ones (NaN) are ignored.

        Args:
            scene: current state.
            seconds: time since the last update [s].
        """
        # There are few joints and many steps: plain numbers are faster than arrays.
        efforts = zip(scene.values[self._indices].tolist(), self._signs, strict=True)
        closing = [effort * sign if sign else abs(effort) for effort, sign in efforts]
        closing = [0.0 if math.isnan(effort) else effort for effort in closing]
        self._silent = [s and not effort for s, effort in zip(self._silent, closing, strict=True)]
        share = 1.0 - math.exp(-seconds / self._window_s) if self._window_s > 0 else 1.0
        both = zip(self._mean, closing, strict=True)
        self._mean = mean = [before + share * (effort - before) for before, effort in both]
        before, self.pushing, self.known = self.pushing, [], []
        for finger, own in enumerate(self._own):
            least = (_RELEASE_FRACTION if before[finger] else 1.0) * self._least
            pushes = max([0.0, *(closing[joint] for joint in own)]) >= least
            self.pushing.append(pushes)
            self.known.append(not any(self._silent[joint] for joint in own))
            if pushes and own:
                for joint in own:
                    mean[joint] = max(mean[joint], closing[joint])
                self._strongest[finger] = max(own, key=mean.__getitem__)

    def strength(self, fingers: Sequence[int]) -> float:
        """Return the mean effort of these fingers [N or Nm], NaN if it is unknown.

        Each finger contributes the averaged effort of the joint that had the greatest effort when the finger last
        pushed.
        """
        joints = [self._strongest[finger] for finger in fingers]
        known = [self._mean[joint] for joint in joints if not self._silent[joint]]
        return float(np.mean(known)) if known else math.nan


def closing_signs(hand: HandDescription) -> dict[str, float]:
    """Return the sign of each joint's closing direction, 0 if it is unknown."""
    if len(hand.opened) != len(hand.joints) or len(hand.closed) != len(hand.joints):
        return dict.fromkeys(hand.joints, 0.0)
    travels = np.array(hand.closed) - np.array(hand.opened)
    return dict(zip(hand.joints, np.sign(travels).tolist(), strict=True))


class FingerStall:
    """Detects from the positions of a finger's joints whether something blocks it.

    A finger that stands still between its opened and its closed posture is blocked. A finger that moves or has
    reached either posture is not. If the hand does not specify these postures, no finger is blocked.

    Args:
        layout: the scene's layout.
        hand: the hand with the fingers.
        joints: names of each finger's joints.
        speed: maximum speed of a blocked finger, as a share of its travel [1/s].
        margin: minimum distance of a blocked finger from both postures, as a share of its travel.
        window_s: the speed is averaged over this time [s].

    Attributes:
        blocked: (fingers,) whether the finger is blocked.
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
        self._shares: deque[tuple[int, list[float]]] = deque()
        self.blocked = [False] * len(joints)
        signs = closing_signs(hand)
        travels = [(f, j) for f, of_one in enumerate(joints) for j in of_one if signs[j] != 0]
        self._is_known = layout.has(hand.robot, "joint_positions") and bool(travels)
        if not self._is_known:
            return
        start = layout.range_of(hand.robot, "joint_positions").start
        known = layout.entity(hand.robot).joints
        self._indices = np.array([start + known.index(joint) for _, joint in travels], np.intp)
        self._joints = []
        for finger, joint in travels:
            at = hand.joints.index(joint)
            self._joints.append((finger, hand.opened[at], hand.closed[at] - hand.opened[at]))
        counts = Counter(finger for finger, _ in travels)
        self._counts = [max(counts[finger], 1) for finger in range(len(joints))]

    def update(self, scene: Snapshot) -> None:
        """Update with the current positions."""
        if not self._is_known:
            return
        sums = [0.0] * len(self.blocked)
        positions = scene.values[self._indices].tolist()
        for at, (finger, opened, way) in zip(positions, self._joints, strict=True):
            sums[finger] += (at - opened) / way
        share = [of_one / count for of_one, count in zip(sums, self._counts, strict=True)]
        now, past = scene.time_ns, self._shares
        past.append((now, share))
        while len(past) > 2 and past[1][0] <= now - self._window_ns:
            past.popleft()
        seconds = (now - past[0][0]) * 1e-9
        if seconds <= 0.0:
            return
        least, most, way = self._margin, 1.0 - self._margin, self._speed * seconds
        both = zip(share, past[0][1], strict=True)
        self.blocked = [abs(at - was) <= way and least <= at <= most for at, was in both]


class Pressing:
    """Detects which fingers press: by their torques, or by a stall if torques are unknown.

    Args:
        layout: the scene's layout.
        joints: names of each finger's joints.
        limits: the model's parameters.

    Attributes:
        pushing: (fingers,) whether the finger presses.

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
        self.pushing = [False] * len(joints)

    def update(self, scene: Snapshot) -> None:
        """Update with the current efforts and positions."""
        before = scene.time_ns if self._time_ns is None else self._time_ns
        self._time_ns = scene.time_ns
        self._torques.update(scene, (scene.time_ns - before) * 1e-9)
        self._stall.update(scene)
        torques = zip(self._torques.pushing, self._torques.known, strict=True)
        both = zip(torques, self._stall.blocked, strict=True)
        self.pushing = [pushes or (blocked and not known) for (pushes, known), blocked in both]

    def stands_in(self, finger: int) -> bool:
        """Return whether a stall replaces the finger's torques, which are unknown."""
        return not self._torques.known[finger]

    def strength(self, fingers: Sequence[int]) -> float:
        """Return the mean effort of these fingers [N or Nm], NaN if it is unknown."""
        return self._torques.strength(fingers)
