"""The particle swarm of Jiang et al. for inverse kinematics, for comparison.

Their algorithm 1 with equations 4 to 10, but for the angle of equation 7, which takes the shorter way. It does not
converge to a pose: the motion counts as much as the error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.robot.least_motion import motion
from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.descents import TOLERANCE, Solutions, end_pose, turn_between
from hetwin_core.kinematics.chains.screws import Screws
from hetwin_core.kinematics.chains.solver import sampled_limits

Floats = NDArray[np.float64]

PARTICLES = 50
ITERATIONS = 500
"""The paper gives no number; later ones change little."""
_INERTIA = (0.9, 0.4)
_OWN = (1.5, 2.5)
_COMMON = (2.5, 1.5)
"""First and last values of equation 10."""


class _Errors(NamedTuple):
    """Of particles: way [m], angle [rad], each (m,), and whether all six errors are within the tolerance."""

    way: Floats
    angle: Floats
    exact: NDArray[np.bool_]


class Swarm:
    """Inverse kinematics of one chain by a swarm of particles.

    Args:
        chain: with n joints.
        seed: of the particles.
        iterations: of each pose.
        with_motion: whether the fitness has the motion of equation 8.
    """

    def __init__(
        self, chain: Chain, seed: int = 0, iterations: int = ITERATIONS, with_motion: bool = True
    ) -> None:
        self._screws = Screws(chain.segments)
        self._lower, self._upper = sampled_limits(chain)
        self._random = np.random.default_rng(seed)
        self._iterations, self._with_motion = iterations, with_motion

    def solve(self, poses: Floats, before: Floats) -> Solutions:
        """Return the best that the swarm finds for each of m poses.

        Args:
            poses: (m, 7) in the frame of the chain's root.
            before: (m, n) where the joints were [rad or m].
        """
        rows = [self._solve(pose, start) for pose, start in zip(poses, before, strict=True)]
        return Solutions(*(np.array(column) for column in zip(*rows, strict=True)))

    def _solve(self, pose: Floats, before: Floats) -> tuple[Floats, bool, float, float]:
        shape = (PARTICLES, len(self._lower))
        at = self._random.uniform(self._lower, self._upper, shape)
        speed = np.zeros(shape)
        own, own_fitness = at.copy(), np.full(PARTICLES, np.inf)
        for t in range(self._iterations):
            fitness = self._fitness(pose, at, before)
            better = fitness < own_fitness
            own[better], own_fitness[better] = at[better], fitness[better]
            common = own[int(own_fitness.argmin())]
            share = t / self._iterations
            r1, r2 = self._random.random((2, PARTICLES, 1))
            speed = (
                _adapted(_INERTIA, share) * speed
                + _adapted(_OWN, share) * r1 * (own - at)
                + _adapted(_COMMON, share) * r2 * (common - at)
            )
            at = np.clip(at + speed, self._lower, self._upper)
        best = own[int(own_fitness.argmin())]
        errors = self._errors(pose, best[None])
        return best, bool(errors.exact[0]), float(errors.way[0]), float(errors.angle[0])

    def _fitness(self, pose: Floats, at: Floats, before: Floats) -> Floats:
        """(m,) equation 9 of postures (m, n)."""
        errors = self._errors(pose, at)
        weight = float(self._random.random())
        fitness = weight * errors.way + (1.0 - weight) * errors.angle
        return fitness + motion(at, before) if self._with_motion else fitness

    def _errors(self, pose: Floats, at: Floats) -> _Errors:
        target = end_pose(pose)
        position, rotation = self._screws.place(at.T)
        way = target.position[:, None] - position
        turn = turn_between(np.repeat(target.rotation[:, :, None], len(at), axis=2), rotation)
        exact = np.abs(np.concatenate((way, turn))).max(axis=0) <= TOLERANCE
        return _Errors(np.linalg.norm(way, axis=0), np.linalg.norm(turn, axis=0), exact)


def _adapted(ends: tuple[float, float], share: float) -> float:
    """Equation 10 after a share of the iterations."""
    first, last = ends
    return (first - last) * share**2 + (last - first) * 2.0 * share + first
