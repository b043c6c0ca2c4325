"""A table of random postures of a chain, to start from the ones whose pose is nearest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.screws import Screws

Floats = NDArray[np.float64]

SIZE = 2000
"""Ten times as many cost more to look through than they save."""
_CHUNK = 16
"""Poses that are looked up at a time; more of them would wake up threads, which cost more than they save."""
TURN = 0.3
"""[m] that the difference of two rotation matrices counts."""


class Postures:
    """Random postures within the joints' limits, with their poses.

    Args:
        chain: with n joints; limits that are infinite count as a half turn or as 1 m.
        seed: of the postures.
        size: how many.
    """

    def __init__(self, chain: Chain, seed: int = 0, size: int = SIZE) -> None:
        self._generator = np.random.default_rng(seed)
        self._lower, self._upper = sampled_limits(chain)
        self._positions = self.random(size)
        position, rotation = Screws(chain.segments).place(self._positions.T)
        poses = _features(position, rotation)
        squares = np.einsum("ij,ij->i", poses, poses)
        # Product with a pose and 1: its squared distance from each, but for the same number for all.
        self._table = np.ascontiguousarray(np.column_stack((-2.0 * poses, squares)).T, np.float32)

    def random(self, count: int) -> Floats:
        """Return new random postures (count, n) [rad or m]."""
        shape = (count, len(self._lower))
        return self._generator.uniform(self._lower, self._upper, shape)

    def near(self, position: Floats, rotation: Floats, count: int) -> Iterator[Floats]:
        """Iterate over the tabled postures (n,) whose poses are nearest to one, the nearest first.

        Args:
            position: (3,) of the pose [m].
            rotation: (3, 3) of the pose.
            count: how many.
        """
        wanted = np.ones(13, np.float32)
        wanted[:3], wanted[3:12] = position, TURN * rotation.ravel()
        away = wanted @ self._table
        first = int(away.argmin())
        yield self._positions[first]  # mostly enough, and found without sorting
        nearest = np.argpartition(away, count)[:count]
        for i in nearest[np.argsort(away[nearest])].tolist():
            if i != first:
                yield self._positions[i]

    def nearest(self, position: Floats, rotation: Floats) -> Floats:
        """Return for each of m poses the tabled posture whose pose is nearest, (m, n).

        Args:
            position: (3, m) of the poses [m].
            rotation: (3, 3, m) of the poses.
        """
        points = _features(position, rotation)
        wanted = np.column_stack((points, np.ones(len(points)))).astype(np.float32)
        parts = np.array_split(wanted, -(-len(wanted) // _CHUNK))
        rows = [(part @ self._table).argmin(axis=1) for part in parts]
        return np.asarray(self._positions[np.concatenate(rows)])


def _features(position: Floats, rotation: Floats) -> Floats:
    """(m, 12) points of which the distances [m] say how far poses are apart.

    Args:
        position: (3, m) [m].
        rotation: (3, 3, m).
    """
    return np.ascontiguousarray(np.concatenate((position, TURN * rotation.reshape(9, -1))).T)


def sampled_limits(chain: Chain) -> tuple[Floats, Floats]:
    """Return (n,) lower and upper limits from which postures are drawn, each finite [rad or m]."""
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    return lower, upper
