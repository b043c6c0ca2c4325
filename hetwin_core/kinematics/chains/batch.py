"""Inverse kinematics of many poses at once, in numpy: all take a step together, and those that are done leave."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.chain import Chain, Placed
from hetwin_core.kinematics.chains.columns import solve_positive, turn_between
from hetwin_core.kinematics.chains.descent import (
    DAMPING,
    LARGEST_STEP,
    LEAST_DAMPING,
    SLOW,
    SLOW_STEPS,
    STEPS,
    TOLERANCE,
    placed,
)
from hetwin_core.kinematics.chains.postures import features
from hetwin_core.kinematics.chains.screws import Many, Screws
from hetwin_core.kinematics.chains.solver import Solver, turning, unwound

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

STARTS = 60
"""A pose that is not reached from so many is given up."""
AT_WORK = 1000
"""Poses that step together: more of them do not fit into the processor's cache."""


FEW = 30
"""So few poses are solved one by one, which takes less time than steps of so few columns."""


class Solutions(NamedTuple):
    """What was found for m poses.

    Attributes:
        positions: (m, n) of the chain's joints [rad or m]: the solutions, or the best that were found.
        solved: (m,) whether the end is at the pose, within `TOLERANCE`.
        distances: (m,) from the poses [m].
        angles: (m,) from the poses [rad].
    """

    positions: Floats
    solved: Bools
    distances: Floats
    angles: Floats


class BatchSolver:
    """Inverse kinematics of one chain for many poses.

    Args:
        chain: with n joints.
        seed: of the tabled and the random postures.
    """

    def __init__(self, chain: Chain, seed: int = 0) -> None:
        self.chain, self.screws = chain, Screws(chain.segments)
        self.single = Solver(chain, seed)
        self.postures = self.single.postures
        self._turning = turning(chain)

    def solve(
        self, poses: Floats, starts: Floats | None = None, seconds: float | None = None
    ) -> Solutions:
        """Return joint positions within the limits that bring the chain's end to each of the poses.

        Args:
            poses: (m, 7) x y z [m], qw qx qy qz, in the frame of the chain's root.
            starts: (m, n) where to start first [rad or m]; None: from the table.
            seconds: of processor time for all poses; None: `STARTS` are tried for each.
        """
        targets = [placed(pose) for pose in poses]
        position = np.stack([target.position for target in targets], axis=1)
        rotation = np.stack([target.rotation for target in targets], axis=2)
        if starts is None:
            starts = self.postures.nearest(features(position, rotation))
        work = _Work(self, position, rotation, np.clip(starts, self.chain.lower, self.chain.upper))
        found = work.run(seconds)
        return found._replace(positions=unwound(found.positions, self._turning))


class _Work:
    """Poses on their way; those at work are columns.

    Args:
        solver: of the chain.
        position: (3, m) of the poses [m].
        rotation: (3, 3, m) of the poses.
        starts: (m, n).
    """

    def __init__(
        self, solver: BatchSolver, position: Floats, rotation: Floats, starts: Floats
    ) -> None:
        self._solver, self._starts = solver, starts
        self._position, self._rotation = position, rotation
        m = len(starts)
        self._tries = np.zeros(m, np.intp)
        self._best = np.full(m, np.inf)
        self._found = Solutions(
            starts.copy(), np.zeros(m, np.bool_), np.full(m, np.inf), np.full(m, np.inf)
        )
        self._begun = 0
        self._at = np.zeros(0, np.intp)  # which pose each column is of
        self._posture = np.zeros((starts.shape[1], 0))
        self._square, self._slow = np.zeros(0), np.zeros(0, np.intp)
        self._steps = np.zeros(0, np.intp)

    def run(self, seconds: float | None) -> Solutions:
        """Work until all poses are solved or given up, or the time is over."""
        until = None if seconds is None else time.process_time() + seconds
        self._fill()
        while len(self._at) > FEW:
            there = self._solver.screws.move(self._posture)
            error = self._errors(there)
            over = self._judge(error)
            if until is not None and time.process_time() >= until:
                self._keep(np.ones(len(self._at), np.bool_), error)
                return self._found
            self._posture = self._stepped(there.jacobian, error)
            self._steps += 1
            self._go_on(over)
        for i, posture in zip(self._at.tolist(), self._posture.T, strict=True):
            self._finish(i, posture, until)
        return self._found

    def _finish(self, i: int, posture: Floats, until: float | None) -> None:
        """Solve one pose by itself, from where it has come to."""
        left = None if until is None else until - time.process_time()
        found, solver = self._found, self._solver.single
        one = solver.solve(
            Placed(self._position[:, i], self._rotation[:, :, i]).pose, posture, left
        )
        if one.solved or one.badness < self._best[i]:
            found.positions[i], found.solved[i] = one.positions, one.solved
            found.distances[i], found.angles[i] = one.distance, one.angle

    def _errors(self, there: Many) -> Floats:
        """(6, a) of the poses at work, along the root's axes [m, rad]."""
        way = self._position[:, self._at] - there.position
        turn = turn_between(self._rotation[:, :, self._at], there.rotation)
        return np.concatenate((way, turn))

    def _judge(self, error: Floats) -> Bools:
        """Keep what is solved or leads nowhere; return (a,) which those are."""
        square = np.einsum("im,im->m", error, error)
        self._slow = np.where(square > SLOW * self._square, self._slow + 1, 0)
        self._square = square
        solved = np.abs(error).max(axis=0) <= TOLERANCE
        over = solved | (self._slow >= SLOW_STEPS) | (self._steps >= STEPS)
        self._keep(over, error)
        self._found.solved[self._at[solved]] = True
        return np.asarray(over)

    def _keep(self, which: Bools, error: Floats) -> None:
        """Keep postures if they are the best of their poses so far."""
        distance = np.sqrt(np.einsum("im,im->m", error[:3, which], error[:3, which]))
        angle = np.sqrt(np.einsum("im,im->m", error[3:, which], error[3:, which]))
        badness, at = distance + 0.3 * angle, self._at[which]
        better = badness < self._best[at]
        at = at[better]
        self._best[at] = badness[better]
        self._found.positions[at] = self._posture[:, which][:, better].T
        self._found.distances[at], self._found.angles[at] = distance[better], angle[better]

    def _stepped(self, jacobian: Floats, error: Floats) -> Floats:
        """(n, a) the postures after a step."""
        chain, posture = self._solver.chain, self._posture
        lower, upper = chain.lower[:, None], chain.upper[:, None]
        damping = DAMPING * self._square + LEAST_DAMPING
        step = _step(jacobian, error, damping)
        stuck = ((posture <= lower) & (step < 0.0)) | ((posture >= upper) & (step > 0.0))
        again = stuck.any(axis=0)
        if again.any():
            freed = np.where(stuck[None, :, again], 0.0, jacobian[:, :, again])
            step[:, again] = _step(freed, error[:, again], damping[again])
        step *= np.minimum(1.0, LARGEST_STEP / np.maximum(np.abs(step).max(axis=0), 1e-12))
        return np.clip(posture + step, lower, upper)

    def _go_on(self, over: Bools) -> None:
        """Let poses that were not solved start anew while they may; others begin in the place of those that leave."""
        at = self._at
        self._tries[at[over]] += 1
        leaving = over & (self._found.solved[at] | (self._tries[at] >= STARTS))
        anew = over & ~leaving
        if anew.any():
            self._posture[:, anew] = self._solver.postures.random(int(anew.sum())).T
            self._square[anew], self._slow[anew], self._steps[anew] = np.inf, 0, 0
        if leaving.any():
            stays = ~leaving
            self._at, self._posture = at[stays], self._posture[:, stays]
            self._square, self._slow = self._square[stays], self._slow[stays]
            self._steps = self._steps[stays]
            self._fill()

    def _fill(self) -> None:
        """Let more poses begin."""
        count = min(AT_WORK - len(self._at), len(self._starts) - self._begun)
        new = np.arange(self._begun, self._begun + count)
        self._begun += count
        self._at = np.concatenate((self._at, new))
        self._posture = np.concatenate((self._posture, self._starts[new].T), axis=1)
        self._square = np.concatenate((self._square, np.full(count, np.inf)))
        self._slow = np.concatenate((self._slow, np.zeros(count, np.intp)))
        self._steps = np.concatenate((self._steps, np.zeros(count, np.intp)))


def _step(jacobian: Floats, error: Floats, damping: Floats) -> Floats:
    """(n, m) the damped steps that reduce errors (6, m)."""
    normal = np.einsum("inm,jnm->ijm", jacobian, jacobian)
    np.einsum("iim->im", normal)[:] += damping
    return np.asarray(np.einsum("inm,im->nm", jacobian, solve_positive(normal, error)))
