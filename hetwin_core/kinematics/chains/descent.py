"""Damped Newton steps (Levenberg and Marquardt) of a posture towards a pose, within the joints' limits."""

from __future__ import annotations

from typing import NamedTuple

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.chain import Chain, Placed

Floats = NDArray[np.float64]

TOLERANCE = 5e-6
"""Largest of the six errors of a solution [m and rad]."""
LARGEST_STEP = 1.0
"""Of any joint [rad or m]."""
DAMPING = 0.1
"""Share of the squared error by which a step is damped."""
LEAST_DAMPING = 1e-10
SLOW = 0.6
"""A step that leaves more than this share of the squared error is a slow one."""
SLOW_STEPS = 2
"""After so many slow steps in a row a start is given up."""
STEPS = 20
RADIAN = 0.3
"""[m] that an error of a radian counts as."""


class Solution(NamedTuple):
    """What was found.

    Attributes:
        positions: (n,) of the chain's joints [rad or m]: the solution, or the best that was found.
        solved: whether the end is at the pose, within the tolerance.
        distance: from the pose [m].
        angle: from the pose [rad].
    """

    positions: Floats
    solved: bool
    distance: float
    angle: float

    @property
    def badness(self) -> float:
        """How far it is from a solution [m]; a radian counts as 0.3 m."""
        return self.distance + RADIAN * self.angle


class Descent:
    """Descents of one chain; what a step needs is allocated once, since a step takes some ten microseconds.

    Args:
        chain: with n joints.
        tolerance: largest of the six errors of a solution [m and rad].
    """

    def __init__(self, chain: Chain, tolerance: float = TOLERANCE) -> None:
        self._tolerance = tolerance
        self._moving = chain.moving()
        self._lower, self._upper = chain.lower, chain.upper
        self._limits = list(zip(chain.lower.tolist(), chain.upper.tolist(), strict=True))
        self._error = np.zeros(6)
        self._normal, self._factor = np.zeros((6, 6)), np.zeros((6, 6))
        self._diagonal = self._normal.reshape(-1)[::7]
        self._solved = np.zeros(6)
        self._turn = np.zeros(3)

    def run(self, position: Floats, quaternion: Floats, start: Floats) -> Solution:
        """Return what a descent leads to.

        Args:
            position: (3,) of the pose [m].
            quaternion: (4,) of the pose, of length 1.
            start: (n,) within the limits [rad or m].
        """
        positions, slow = start, 0
        largest, square = self._miss(position, quaternion, positions)
        for _ in range(STEPS):
            if largest <= self._tolerance:
                break
            positions = self._after_step(positions, DAMPING * square)
            before = square
            largest, square = self._miss(position, quaternion, positions)
            slow = slow + 1 if square > SLOW * before else 0
            if slow == SLOW_STEPS:
                break
        distance, angle = np.linalg.norm(self._error[:3]), np.linalg.norm(self._error[3:])
        return Solution(positions, largest <= self._tolerance, float(distance), float(angle))

    def _miss(self, position: Floats, quaternion: Floats, positions: Floats) -> tuple[float, float]:
        """Keep the six errors at a posture, along the root's axes; return the largest, and the sum of squares."""
        at, turned = self._moving.place(positions)
        error = self._error
        np.subtract(position, at, out=error[:3])
        mj.mju_subQuat(self._turn, quaternion, turned)
        mj.mju_rotVecQuat(error[3:], self._turn, turned)
        six = error.tolist()
        return max(max(six), -min(six)), sum([part * part for part in six])

    def _after_step(self, positions: Floats, damping: float) -> Floats:
        """The posture after one step from the one that was placed last."""
        jacobian = self._moving.jacobian()
        step = self._step(jacobian, damping)
        stuck = self._stuck(positions, step)
        if stuck:
            jacobian[:, stuck] = 0.0
            step = self._step(jacobian, damping)
        parts = step.tolist()
        largest = max(max(parts), -min(parts))
        if largest > LARGEST_STEP:
            step *= LARGEST_STEP / largest
        step += positions
        np.maximum(step, self._lower, out=step)
        return np.minimum(step, self._upper, out=step)

    def _step(self, jacobian: Floats, damping: float) -> Floats:
        np.matmul(jacobian, jacobian.T, out=self._normal)
        self._diagonal += damping + LEAST_DAMPING
        mj.mju_cholFactor(self._normal, 0.0)
        mj.mju_cholSolve(self._solved, self._normal, self._error)
        return self._solved @ jacobian

    def _stuck(self, positions: Floats, step: Floats) -> list[int]:
        """The joints that are at a limit and would be pushed out."""
        triples = zip(positions.tolist(), step.tolist(), self._limits, strict=True)
        return [
            i
            for i, (at, by, (lower, upper)) in enumerate(triples)
            if (at <= lower and by < 0.0) or (at >= upper and by > 0.0)
        ]


def placed(pose: Floats) -> Placed:
    """Return position and rotation of a pose (7,) x y z [m], qw qx qy qz of any length."""
    quaternion = np.asarray(pose[3:], np.float64)
    rotation = np.empty(9)
    mj.mju_quat2Mat(rotation, quaternion / np.linalg.norm(quaternion))
    return Placed(np.asarray(pose[:3], np.float64), rotation.reshape(3, 3))
