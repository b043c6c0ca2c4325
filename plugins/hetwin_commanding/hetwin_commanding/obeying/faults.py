"""Faults of the simulated robot, which start at a given second of its first motion."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.model import Floats
from hetwin_suite.source import JointMotion, TwistCommand

DRIFT = 0.05
"""Drift of joints [rad/s or m/s]."""
LAG_S = 0.5
"""Delay of a lagging robot [s]."""


class FaultKind(StrEnum):
    """Kind of fault."""

    FREEZE = "freeze"
    """It stands still regardless of commands."""
    DRIFT = "drift"
    """Its joints and its heading drift from their commands by 0.05 rad/s."""
    LAG = "lag"
    """It executes commands 0.5 s late."""
    SILENCE = "silence"
    """It stops publishing."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: its kind, and its start in seconds after the start of the first motion."""

    kind: FaultKind
    at: float


class Faulty:
    """Applies a fault to the commanded motion of joints and base.

    Args:
        fault: the fault; None: none.
        drifting: (n,) whether a drift affects each joint.
    """

    def __init__(self, fault: Fault | None, drifting: NDArray[np.bool_]) -> None:
        self._fault = fault
        self._drift: Floats = np.where(drifting, DRIFT, 0.0)
        self._moving_since: float | None = None
        self._frozen: JointMotion | None = None
        self._past: deque[tuple[float, JointMotion, TwistCommand]] = deque()

    def moves(self, time: float) -> None:
        """Record a motion at a time [s]; the first one starts the clock of the fault."""
        if self._moving_since is None:
            self._moving_since = time

    def since(self, time: float) -> float:
        """Return the time since the start of the fault [s]; negative before it."""
        if self._fault is None or self._moving_since is None:
            return -1.0
        return time - self._moving_since - self._fault.at

    def is_now(self, kind: FaultKind, time: float) -> bool:
        """Whether a fault of this kind is active at a time [s]."""
        return self._fault is not None and self._fault.kind is kind and self.since(time) >= 0.0

    def spoiled(
        self, motion: JointMotion, twist: TwistCommand, time: float
    ) -> tuple[JointMotion, TwistCommand]:
        """Return the motion and the velocity of the base that the fault makes of the commanded ones at a time [s]."""
        if self._fault is None:
            return motion, twist
        self._past.append((time, motion, twist))
        while len(self._past) > 1 and self._past[1][0] <= time - LAG_S:
            self._past.popleft()
        if self.is_now(FaultKind.FREEZE, time):
            self._frozen = self._frozen or _resting(motion)
            return self._frozen, TwistCommand(0.0, 0.0, 0.0)
        if self.is_now(FaultKind.DRIFT, time):
            drifted = _drifted(motion, self._drift, self.since(time))
            return drifted, TwistCommand(twist.forward, twist.sideways, twist.turn + DRIFT)
        if self.is_now(FaultKind.LAG, time):
            return self._past[0][1:]
        return motion, twist


def _resting(motion: JointMotion) -> JointMotion:
    zeros = np.zeros_like(motion.positions)
    return JointMotion(motion.positions, zeros, zeros, motion.efforts)


def _drifted(motion: JointMotion, velocities: Floats, seconds: float) -> JointMotion:
    return JointMotion(
        motion.positions + velocities * seconds,
        motion.velocities + velocities,
        motion.accelerations,
        motion.efforts,
    )
