"""Checks every hand-back of a pose to the main model: bitwise equality, and no ejection of the object."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hetwin_suite.model import WORLD, Floats, Snapshot
from hetwin_suite.runs import Handover, RunListener, RunStart

GRAVITY = 9.81
WATCHED_NS = 500_000_000
"""Collisions of a penetrating pair are enabled again within this time after a hand-back."""


@dataclass(slots=True)
class HandBack:
    """A pose that was handed back to the main model.

    Attributes:
        entity: entity with the pose.
        time_ns: time of the hand-back [ns].
        until_ns: end of the observation [ns]; earlier if another model takes the pose.
        released: (13,) released pose and twist.
        equal: whether the scene's pose equals the released one to the bit.
        gain: maximum speed within half a second afterwards, minus the released speed and the effect of gravity [m/s];
            below 0 if the object only slowed down.
    """

    entity: str
    time_ns: int
    until_ns: int
    released: Floats
    equal: bool | None = None
    gain: float = -np.inf


@dataclass(slots=True)
class HandoverWatch(RunListener):
    """Listens to a run, and collects all hand-backs of poses to the main model."""

    hand_backs: list[HandBack] = field(default_factory=list)
    _main: str = ""

    @property
    def unequal(self) -> int:
        """Number of hand-backs that changed a value."""
        return sum(hand_back.equal is False for hand_back in self.hand_backs)

    @property
    def greatest_gain(self) -> float:
        """Maximum gain of speed [m/s]; -inf if there was no hand-back."""
        return max((hand_back.gain for hand_back in self.hand_backs), default=-np.inf)

    def started(self, start: RunStart) -> None:
        """Find the main model."""
        self._main = next(model.name for model in start.models if model.main)

    def handover(self, handover: Handover) -> None:
        """Start an observation if the handover is a hand-back."""
        if handover.attribute != "pose":
            return
        self._end(handover.entity, handover.time_ns)
        if handover.to_model == self._main and handover.value.parent == WORLD:
            released = np.array(handover.value.data)
            time_ns = handover.time_ns
            self.hand_backs.append(
                HandBack(handover.entity, time_ns, time_ns + WATCHED_NS, released)
            )

    def next_ns(self, now_ns: int) -> int:
        """Request each state for a while after a hand-back."""
        return (
            now_ns
            if any(now_ns <= hand_back.until_ns for hand_back in self.hand_backs)
            else 1 << 62
        )

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Compare the pose, and measure the gain of speed."""
        for hand_back in self.hand_backs:
            if scene.time_ns > hand_back.until_ns:
                continue
            pose = scene.pose(hand_back.entity)
            if hand_back.equal is None:
                hand_back.equal = bool(np.array_equal(pose, hand_back.released))
                continue
            expected_speed = (
                np.linalg.norm(hand_back.released[7:10])
                + GRAVITY * (scene.time_ns - hand_back.time_ns) * 1e-9
            )
            hand_back.gain = max(hand_back.gain, float(np.linalg.norm(pose[7:10]) - expected_speed))

    def _end(self, entity: str, time_ns: int) -> None:
        """End the observation when another model takes the pose."""
        for hand_back in self.hand_backs:
            if hand_back.entity == entity:
                hand_back.until_ns = min(hand_back.until_ns, time_ns - 1)
