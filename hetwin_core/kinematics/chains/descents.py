"""Descents of many postures at once, in numpy: all take a step together, and each leaves where its own ends.

Poses are columns: arrays over many of them come last, so that each operation runs along them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.descent import (
    DAMPING,
    LARGEST_STEP,
    LEAST_DAMPING,
    RADIAN,
    SLOW,
    SLOW_STEPS,
)
from hetwin_core.kinematics.chains.screws import Screws

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

_STEPS = 12
"""Fewer than one pose by itself takes: steps of the last few columns cost as much as those of many."""
_SMALL = 1e-9


class Solutions(NamedTuple):
    """What was found for m poses.

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
        """Return what descents lead to.

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
