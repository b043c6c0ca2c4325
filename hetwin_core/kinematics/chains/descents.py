"""Inverse kinematics by damped least squares: `Descent` solves for one pose, `Descents` for many at once, in numpy.

In a batch all poses step together, and each drops out when it has converged or is given up.

Poses are columns: arrays over many of them come last, so that each operation runs along them.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.chain import Chain, EndPose
from hetwin_core.kinematics.chains.screws import Screws

Floats = NDArray[np.float64]

TOLERANCE = 5e-6
"""Largest of the six errors of a solution [m and rad]."""
LARGEST_STEP = 1.0
"""Of any joint [rad or m]."""
DAMPING = 0.1
"""The damping added to J J^T is this factor times the squared error."""
LEAST_DAMPING = 1e-10
SLOW = 0.6
"""A step that leaves more than this share of the squared error is a slow one."""
SLOW_STEPS = 2
"""After so many slow steps in a row a start is given up."""
STEPS = 20
RADIAN = 0.3
"""[m] that an error of a radian counts as."""


class Solution(NamedTuple):
    """A solution.

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
    """Descents of one chain; the buffers of a step are allocated once, since a step takes some ten microseconds.

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
        """Return the solution of a descent.

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


def placed(pose: Floats) -> EndPose:
    """Return position and rotation of a pose (7,) x y z [m], qw qx qy qz of any length."""
    quaternion = np.asarray(pose[3:], np.float64)
    rotation = np.empty(9)
    mj.mju_quat2Mat(rotation, quaternion / np.linalg.norm(quaternion))
    return EndPose(np.asarray(pose[:3], np.float64), rotation.reshape(3, 3))


Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

_STEPS = 12
"""Fewer than one pose by itself takes: steps of the last few columns cost as much as those of many."""
_SMALL = 1e-9


class Solutions(NamedTuple):
    """Solutions for m poses.

    Attributes:
        positions: (m, n) of the chain's joints [rad or m]: the solutions, or the best that were found.
        solved: (m,) whether the end is at the pose, within the tolerance.
        distances: (m,) from the poses [m].
        angles: (m,) from the poses [rad].
    """

    positions: Floats
    solved: Bools
    distances: Floats
    angles: Floats

    @property
    def badness(self) -> Floats:
        """(m,) how far they are from solutions [m]."""
        return self.distances + RADIAN * self.angles

    @classmethod
    def none(cls, positions: Floats) -> Solutions:
        """Return that nothing was found yet from postures (m, n)."""
        m = len(positions)
        far = np.full((2, m), np.inf)
        return cls(positions.copy(), np.zeros(m, np.bool_), far[0], far[1])

    def take(self, rows: Ints, others: Solutions, better: Bools) -> None:
        """Replace those of the rows (k,) for which others (k) are better (k,)."""
        for mine, theirs in zip(self, others, strict=True):
            mine[rows[better]] = theirs[better]

    def keep(self, rows: Ints, others: Solutions) -> None:
        """Replace those of the rows (k,) of which others (k) are solutions, or nearer to one."""
        self.take(rows, others, others.solved | (others.badness < self.badness[rows]))


class Descents:
    """Descents of one chain, by the same rules as a single `Descent`.

    Args:
        chain: with n joints.
        tolerance: largest of the six errors of a solution [m and rad].
    """

    def __init__(self, chain: Chain, tolerance: float) -> None:
        self._screws, self._tolerance = Screws(chain.segments), tolerance
        self._lower, self._upper = chain.lower[:, None], chain.upper[:, None]

    def run(self, position: Floats, rotation: Floats, starts: Floats) -> Solutions:
        """Return the solutions of descents.

        Args:
            position: (3, m) of the poses [m].
            rotation: (3, 3, m) of the poses.
            starts: (m, n) within the limits [rad or m].
        """
        ends, errors = self._ends(position, rotation, np.ascontiguousarray(starts.T))
        solved = np.abs(errors).max(axis=0) <= self._tolerance
        way, turn = np.linalg.norm(errors[:3], axis=0), np.linalg.norm(errors[3:], axis=0)
        return Solutions(ends.T, solved, way, turn)

    def _ends(self, position: Floats, rotation: Floats, posture: Floats) -> tuple[Floats, Floats]:
        """The postures (n, m) where descents end, and their errors (6, m) along the root's axes [m, rad]."""
        m = posture.shape[1]
        ends, errors = posture.copy(), np.zeros((6, m))
        at, before, slow = np.arange(m), np.full(m, np.inf), np.zeros(m, np.intp)
        for i in range(_STEPS + 1):
            there = self._screws.move(posture)
            turn = turn_between(rotation[:, :, at], there.rotation)
            error = np.concatenate((position[:, at] - there.position, turn))
            square = np.einsum("im,im->m", error, error)
            slow = np.where(square > SLOW * before, slow + 1, 0)
            exact = np.abs(error).max(axis=0) <= self._tolerance
            on = ~exact & (slow < SLOW_STEPS) & (i < _STEPS)
            ends[:, at[~on]], errors[:, at[~on]] = posture[:, ~on], error[:, ~on]
            stay = np.flatnonzero(on)
            if not len(stay):
                break
            at, before, slow = at[stay], square[stay], slow[stay]
            jacobian = there.jacobian.take(stay, axis=2)
            posture = self._stepped(posture[:, stay], jacobian, error[:, stay], before)
        return ends, errors

    def _stepped(self, posture: Floats, jacobian: Floats, error: Floats, square: Floats) -> Floats:
        """The postures (n, a) after a step that reduces errors (6, a), whose squared sums are (a,)."""
        lower, upper = self._lower, self._upper
        damping = DAMPING * square + LEAST_DAMPING
        step = _step(jacobian, error, damping)
        stuck = ((posture <= lower) & (step < 0.0)) | ((posture >= upper) & (step > 0.0))
        again = stuck.any(axis=0)
        if again.any():
            freed = np.where(stuck[None, :, again], 0.0, jacobian[:, :, again])
            step[:, again] = _step(freed, error[:, again], damping[again])
        step *= np.minimum(1.0, LARGEST_STEP / np.maximum(np.abs(step).max(axis=0), 1e-12))
        return np.clip(posture + step, lower, upper)


def _step(jacobian: Floats, error: Floats, damping: Floats) -> Floats:
    """(n, m) the damped steps that reduce errors (6, m)."""
    normal = np.einsum("inm,jnm->mij", jacobian, jacobian)
    normal += damping[:, None, None] * np.eye(6)
    solved = np.linalg.solve(normal, error.T[:, :, None])[:, :, 0]
    return np.asarray(np.einsum("inm,mi->nm", jacobian, solved))


def turn_between(wanted: Floats, there: Floats) -> Floats:
    """Return (3, m) the rotation vectors that lead from rotations to others, along the outer axes [rad].

    Args:
        wanted, there: (3, 3, m).
    """
    way = np.einsum("ikm,jkm->ijm", wanted, there)
    sines = 0.5 * np.stack((way[2, 1] - way[1, 2], way[0, 2] - way[2, 0], way[1, 0] - way[0, 1]))
    sine = np.sqrt(np.einsum("im,im->m", sines, sines))
    cosine = 0.5 * (np.einsum("iim->m", way) - 1.0)
    angle = np.arctan2(sine, cosine)
    turns = sines * np.where(sine > _SMALL, angle / np.maximum(sine, _SMALL), 1.0)
    reversed_ = (sine <= _SMALL) & (cosine < 0.0)
    if reversed_.any():  # half turns, whose sines do not show their axes
        for i in np.flatnonzero(reversed_):
            sums = way[:, :, i] + np.eye(3)
            axis = sums[:, int(np.argmax(np.diag(sums)))]
            turns[:, i] = np.pi * axis / np.linalg.norm(axis)
    return turns
