"""Inverse kinematics of one pose at a time: descents from the nearest of tabled postures, then from random ones."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.chain import Chain, Placed
from hetwin_core.kinematics.chains.descent import TOLERANCE, Descent, Solution, placed
from hetwin_core.kinematics.chains.postures import Postures

Floats = NDArray[np.float64]

STARTS = 200
"""A pose that is not reached from so many is not reachable."""
_TABLED = 10
"""So many of the starts come from the table."""


class Solver:
    """Inverse kinematics of one chain.

    Args:
        chain: with n joints.
        seed: of the tabled and the random postures.
        tolerance: largest of the six errors of a solution [m and rad].
    """

    def __init__(self, chain: Chain, seed: int = 0, tolerance: float = TOLERANCE) -> None:
        self._chain = chain
        self.postures = Postures(chain, seed)
        self._descent = Descent(chain, tolerance)
        self._turning = turning(chain)

    def solve(
        self, pose: Floats, start: Floats | None = None, seconds: float | None = None
    ) -> Solution:
        """Return joint positions within the limits that bring the chain's end to a pose, or the best that was found.

        Args:
            pose: (7,) x y z [m], qw qx qy qz, in the frame of the chain's root.
            start: (n,) where to start first [rad or m]; None: from the table.
            seconds: of processor time after which no further start is tried; None: `STARTS` are.
        """
        target = placed(pose)
        quaternion = target.pose[3:]
        begun = time.thread_time()
        best: Solution | None = None
        for posture in self._starts(target, start):
            found = self._descent.run(target.position, quaternion, posture)
            if best is None or found.solved or found.badness < best.badness:
                best = found
            if best.solved or (seconds is not None and time.thread_time() - begun >= seconds):
                break
        assert best is not None  # there is at least one start
        return Solution(
            unwound(best.positions, self._turning), best.solved, best.distance, best.angle
        )

    def descend(self, pose: Floats, start: Floats) -> Solution:
        """Return what steps from a posture lead to: the solution beside it, if there is one.

        Args:
            pose: (7,) x y z [m], qw qx qy qz, in the frame of the chain's root.
            start: (n,) [rad or m].
        """
        target = placed(pose)
        return self._descent.run(target.position, target.pose[3:], self._chain.clipped(start))

    def _starts(self, target: Placed, start: Floats | None) -> Iterator[Floats]:
        if start is not None:
            yield self._chain.clipped(start)
        yield from self.postures.near(target.position, target.rotation, _TABLED)
        for _ in range(STARTS - _TABLED):
            yield self.postures.random(1)[0]


def turning(chain: Chain) -> NDArray[np.bool_]:
    """Return (n,) which joints turn without limits."""
    slides = {segment.joint for segment in chain.segments if segment.slides}
    bounded = np.isfinite(chain.lower) & np.isfinite(chain.upper)
    return ~bounded & np.array([name not in slides for name in chain.joints], np.bool_)


def unwound(positions: Floats, turns: NDArray[np.bool_]) -> Floats:
    """Return positions (..., n) with the joints that turn without limits between -pi and pi."""
    half = np.pi
    return np.where(turns, (positions + half) % (2.0 * half) - half, positions)
