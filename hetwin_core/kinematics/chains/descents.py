"""Inverse kinematics by damped least squares: `Descent` solves for one pose, `Descents` for many at once, in numpy.

In a batch all poses step together, and each one leaves the batch when it has converged or is given up. Poses are
columns: the last axis of arrays runs over the poses, so that each operation is contiguous along it.
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
"""Maximum of the six errors of a solution [m and rad]."""
MAX_STEP = 1.0
"""Maximum step of any joint [rad or m]."""
DAMPING = 0.1
"""The damping added to J J^T is this factor times the squared error."""
MIN_DAMPING = 1e-10
SLOW_RATIO = 0.6
"""A step is slow if the squared error after it exceeds this share of that before it."""
SLOW_STEPS = 2
"""Number of consecutive slow steps after which a start is given up."""
STEPS = 20
RADIAN = 0.3
"""Weight of an angular error [m/rad]."""


class Solution(NamedTuple):
    """Result of a descent.

    Attributes:
        positions: (n,) of the chain's joints [rad or m]: the solution, or the best approximation.
        solved: whether the end is at the pose, within the tolerance.
        distance: distance from the pose [m].
        angle: angle from the pose [rad].
    """

    positions: Floats
    solved: bool
    distance: float
    angle: float

    @property
    def residual(self) -> float:
        """Distance plus weighted angle from the pose [m]; a radian counts as 0.3 m."""
        return self.distance + RADIAN * self.angle


class Descent:
    """Descents of one chain; buffers are allocated once, because a step takes only about ten microseconds.

    Args:
        chain: kinematic chain with n joints.
        tolerance: maximum of the six errors of a solution [m and rad].
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
            position: (3,) position of the pose [m].
            quaternion: (4,) orientation of the pose, of unit length.
            start: (n,) joint positions within the limits [rad or m].
        """
        positions, slow = start, 0
        largest, square = self._evaluate(position, quaternion, positions)
        for _ in range(STEPS):
            if largest <= self._tolerance:
                break
            positions = self._after_step(positions, DAMPING * square)
            before = square
            largest, square = self._evaluate(position, quaternion, positions)
            slow = slow + 1 if square > SLOW_RATIO * before else 0
            if slow == SLOW_STEPS:
                break
        distance, angle = np.linalg.norm(self._error[:3]), np.linalg.norm(self._error[3:])
        return Solution(positions, largest <= self._tolerance, float(distance), float(angle))

    def _evaluate(
        self, position: Floats, quaternion: Floats, positions: Floats
    ) -> tuple[float, float]:
        """Compute the six errors of a posture, along the root's axes; return the largest, and the sum of squares."""
        at, turned = self._moving.place(positions)
        error = self._error
        np.subtract(position, at, out=error[:3])
        mj.mju_subQuat(self._turn, quaternion, turned)
        mj.mju_rotVecQuat(error[3:], self._turn, turned)
        six = error.tolist()
        return max(max(six), -min(six)), sum([part * part for part in six])

    def _after_step(self, positions: Floats, damping: float) -> Floats:
        """The posture after one step from the last one."""
        jacobian = self._moving.jacobian()
        step = self._step(jacobian, damping)
        blocked = self._blocked_joints(positions, step)
        if blocked:
            jacobian[:, blocked] = 0.0
            step = self._step(jacobian, damping)
        parts = step.tolist()
        largest = max(max(parts), -min(parts))
        if largest > MAX_STEP:
            step *= MAX_STEP / largest
        step += positions
        np.maximum(step, self._lower, out=step)
        return np.minimum(step, self._upper, out=step)

    def _step(self, jacobian: Floats, damping: float) -> Floats:
        np.matmul(jacobian, jacobian.T, out=self._normal)
        self._diagonal += damping + MIN_DAMPING
        mj.mju_cholFactor(self._normal, 0.0)
        mj.mju_cholSolve(self._solved, self._normal, self._error)
        return self._solved @ jacobian

    def _blocked_joints(self, positions: Floats, step: Floats) -> list[int]:
        """The joints at a limit that the step would push beyond it."""
        triples = zip(positions.tolist(), step.tolist(), self._limits, strict=True)
        return [
            i
            for i, (at, by, (lower, upper)) in enumerate(triples)
            if (at <= lower and by < 0.0) or (at >= upper and by > 0.0)
        ]


def end_pose(pose: Floats) -> EndPose:
    """Return position and rotation of a pose (7,) x y z [m], qw qx qy qz, whose quaternion need not be normalized."""
    quaternion = np.asarray(pose[3:], np.float64)
    rotation = np.empty(9)
    mj.mju_quat2Mat(rotation, quaternion / np.linalg.norm(quaternion))
    return EndPose(np.asarray(pose[:3], np.float64), rotation.reshape(3, 3))


Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

_BATCH_STEPS = 12
"""Maximum number of steps in a batch; fewer than for one pose, as a step for few remaining poses costs as much."""
_SMALL = 1e-9


class Solutions(NamedTuple):
    """Solutions for m poses.

    Attributes:
        positions: (m, n) of the chain's joints [rad or m]: the solutions, or the best approximations.
        solved: (m,) whether the end is at the pose, within the tolerance.
        distances: (m,) from the poses [m].
        angles: (m,) from the poses [rad].
    """

    positions: Floats
    solved: Bools
    distances: Floats
    angles: Floats

    @property
    def residual(self) -> Floats:
        """(m,) distances plus weighted angles from the poses [m]."""
        return self.distances + RADIAN * self.angles

    @classmethod
    def none(cls, positions: Floats) -> Solutions:
        """Return unsolved solutions with infinite errors, for postures (m, n)."""
        m = len(positions)
        far = np.full((2, m), np.inf)
        return cls(positions.copy(), np.zeros(m, np.bool_), far[0], far[1])

    def take(self, rows: Ints, others: Solutions, better: Bools) -> None:
        """Replace the rows (k,) whose mask `better` (k,) is true by those of others (k)."""
        for mine, theirs in zip(self, others, strict=True):
            mine[rows[better]] = theirs[better]

    def keep(self, rows: Ints, others: Solutions) -> None:
        """Replace the rows (k,) for which others (k) are solutions, or closer to one."""
        self.take(rows, others, others.solved | (others.residual < self.residual[rows]))


class Descents:
    """Descents of one chain for many poses, by the same rules as in `Descent`.

    Args:
        chain: kinematic chain with n joints.
        tolerance: maximum of the six errors of a solution [m and rad].
    """

    def __init__(self, chain: Chain, tolerance: float) -> None:
        self._screws, self._tolerance = Screws(chain.segments), tolerance
        self._lower, self._upper = chain.lower[:, None], chain.upper[:, None]

    def run(self, position: Floats, rotation: Floats, starts: Floats) -> Solutions:
        """Return the solutions of descents.

        Args:
            position: (3, m) positions of the poses [m].
            rotation: (3, 3, m) rotations of the poses.
            starts: (m, n) joint positions within the limits [rad or m].
        """
        ends, errors = self._ends(position, rotation, np.ascontiguousarray(starts.T))
        solved = np.abs(errors).max(axis=0) <= self._tolerance
        distance, angle = np.linalg.norm(errors[:3], axis=0), np.linalg.norm(errors[3:], axis=0)
        return Solutions(ends.T, solved, distance, angle)

    def _ends(self, position: Floats, rotation: Floats, posture: Floats) -> tuple[Floats, Floats]:
        """The final postures (n, m) of descents, and their errors (6, m) along the root's axes [m, rad]."""
        m = posture.shape[1]
        ends, errors = posture.copy(), np.zeros((6, m))
        columns, before, slow = np.arange(m), np.full(m, np.inf), np.zeros(m, np.intp)
        for i in range(_BATCH_STEPS + 1):
            moved = self._screws.move(posture)
            turn = turn_between(rotation[:, :, columns], moved.rotation)
            error = np.concatenate((position[:, columns] - moved.position, turn))
            square = np.einsum("im,im->m", error, error)
            slow = np.where(square > SLOW_RATIO * before, slow + 1, 0)
            exact = np.abs(error).max(axis=0) <= self._tolerance
            is_active = ~exact & (slow < SLOW_STEPS) & (i < _BATCH_STEPS)
            ends[:, columns[~is_active]] = posture[:, ~is_active]
            errors[:, columns[~is_active]] = error[:, ~is_active]
            active = np.flatnonzero(is_active)
            if not len(active):
                break
            columns, before, slow = columns[active], square[active], slow[active]
            jacobian = moved.jacobian.take(active, axis=2)
            posture = self._stepped(posture[:, active], jacobian, error[:, active], before)
        return ends, errors

    def _stepped(self, posture: Floats, jacobian: Floats, error: Floats, square: Floats) -> Floats:
        """The postures (n, a) after a step that reduces errors (6, a) with squared sums (a,)."""
        lower, upper = self._lower, self._upper
        damping = DAMPING * square + MIN_DAMPING
        step = _step(jacobian, error, damping)
        blocked = ((posture <= lower) & (step < 0.0)) | ((posture >= upper) & (step > 0.0))
        has_blocked = blocked.any(axis=0)
        if has_blocked.any():
            freed = np.where(blocked[None, :, has_blocked], 0.0, jacobian[:, :, has_blocked])
            step[:, has_blocked] = _step(freed, error[:, has_blocked], damping[has_blocked])
        step *= np.minimum(1.0, MAX_STEP / np.maximum(np.abs(step).max(axis=0), 1e-12))
        return np.clip(posture + step, lower, upper)


def _step(jacobian: Floats, error: Floats, damping: Floats) -> Floats:
    """(n, m) damped steps that reduce errors (6, m)."""
    normal = np.einsum("inm,jnm->mij", jacobian, jacobian)
    normal += damping[:, None, None] * np.eye(6)
    solved = np.linalg.solve(normal, error.T[:, :, None])[:, :, 0]
    return np.asarray(np.einsum("inm,mi->nm", jacobian, solved))


def turn_between(wanted: Floats, current: Floats) -> Floats:
    """Return (3, m) rotation vectors from rotations `current` to `wanted`, along the axes of the outer frame [rad].

    Args:
        wanted, current: (3, 3, m).
    """
    relative = np.einsum("ikm,jkm->ijm", wanted, current)
    sines = 0.5 * np.stack(
        (
            relative[2, 1] - relative[1, 2],
            relative[0, 2] - relative[2, 0],
            relative[1, 0] - relative[0, 1],
        )
    )
    sine = np.sqrt(np.einsum("im,im->m", sines, sines))
    cosine = 0.5 * (np.einsum("iim->m", relative) - 1.0)
    angle = np.arctan2(sine, cosine)
    turns = sines * np.where(sine > _SMALL, angle / np.maximum(sine, _SMALL), 1.0)
    is_half_turn = (sine <= _SMALL) & (cosine < 0.0)
    if is_half_turn.any():  # the sines of half turns do not give their axes
        for i in np.flatnonzero(is_half_turn):
            sums = relative[:, :, i] + np.eye(3)
            axis = sums[:, int(np.argmax(np.diag(sums)))]
            turns[:, i] = np.pi * axis / np.linalg.norm(axis)
    return turns
