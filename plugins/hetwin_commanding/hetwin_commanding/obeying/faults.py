"""What goes wrong with the stand-in, from some second of its first motion on."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.model import Floats
from hetwin_suite.source import JointMotion, TwistCommand

DRIFT = 0.05
"""How fast joints drift off [rad/s or m/s]."""
LAG_S = 0.5
"""How much later a lagging robot does what it is commanded to."""


class FaultKind(StrEnum):
    """What may go wrong."""

    FREEZE = "freeze"
    """It stands still whatever it is commanded to do."""
    DRIFT = "drift"
    """Its joints and its heading drift off what they are commanded to do, by 0.05 rad/s."""
    LAG = "lag"
    """It does what it is commanded to do 0.5 s later."""
    SILENCE = "silence"
    """It publishes nothing any more."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: what goes wrong, from which second of the first motion on."""

    kind: FaultKind
    at: float


class Faulty:
    """Spoils the commanded motion of joints and base as a fault says.

    Args:
        fault: None: nothing goes wrong.
        drifting: (n,) which joints a drift concerns.
    """

    def __init__(self, fault: Fault | None, drifting: NDArray[np.bool_]) -> None:
        self._fault = fault
        self._drift: Floats = np.where(drifting, DRIFT, 0.0)
        self._moving_since: float | None = None
        self._frozen: JointMotion | None = None
        self._past: deque[tuple[float, JointMotion, TwistCommand]] = deque()

    def moves(self, time: float) -> None:
        """Take note that it moves at a time [s]; the first one counts."""
        if self._moving_since is None:
            self._moving_since = time

    def since(self, time: float) -> float:
        """Return for how long the fault has lasted [s]; negative: it has not begun."""
        if self._fault is None or self._moving_since is None:
            return -1.0
        return time - self._moving_since - self._fault.at

    def is_now(self, kind: FaultKind, time: float) -> bool:
        """Whether this goes wrong at a time [s]."""
        return self._fault is not None and self._fault.kind is kind and self.since(time) >= 0.0

    def spoiled(
        self, motion: JointMotion, twist: TwistCommand, time: float
    ) -> tuple[JointMotion, TwistCommand]:
        """Return what comes of a commanded motion and velocity of the base at a time [s]."""
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
