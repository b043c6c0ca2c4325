"""How far bodies have moved relative to each other."""

from __future__ import annotations

from typing import TypeAlias

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats

Places: TypeAlias = NDArray[np.intp]
"""Places in an array."""
_CHORD = 0.5**0.5
"""A point moves by at most this, times its distance from the origin, times the norm of the rotation's change."""

_TRANSPOSED = np.array([0, 3, 6, 1, 4, 7, 2, 5, 8], np.intp)
"""The places in a matrix of 3 rows, column after column."""


class RelativeMotion:
    """Adds up how far pairs of bodies move relative to each other.

    Of the pairs that are followed, no distance between two points, one on each body, changes by more than the pair's
    sum has grown meanwhile. A pair that moves as one, such as a hand and what it holds, does not move here.

    Args:
        model, data: the world, and where everything is.
        pairs: (n, 2) bodies.

    Attributes:
        travelled: (n,) sums [m]; those of pairs that are not followed stay.
    """

    def __init__(self, model: mj.MjModel, data: mj.MjData, pairs: Places) -> None:
        self._places, self._rotations = data.xpos, data.xmat
        sizes = radii(model)
        # Of two bodies the smaller one is seen from the other: it moves less when they turn.
        smaller = np.argmin(sizes[pairs], axis=1)
        rows = np.arange(len(pairs))
        self._seen, self._from = pairs[rows, smaller], pairs[rows, 1 - smaller]
        self._levers = _CHORD * np.minimum(sizes[pairs[:, 0]], sizes[pairs[:, 1]])
        self.travelled: Floats = np.zeros(len(pairs))
        self.follow(rows[:0])

    def follow(self, pairs: Places) -> None:
        """Follow these pairs from now on, by their indices."""
        self._followed = pairs
        self._one, self._other = self._seen[pairs], self._from[pairs]
        # Matrices whose memory is transposed are slow to multiply; these indices transpose while they copy.
        self._back = 9 * self._other[:, None] + _TRANSPOSED
        self._lever = self._levers[pairs]
        self._at, self._turn = self._relative()

    def update(self) -> None:
        """Add what has moved since the last call."""
        at, turn = self._relative()
        moved, turned = at - self._at, turn - self._turn
        step = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        step += self._lever * np.sqrt(np.einsum("ij,ij->i", turned, turned))
        self.travelled[self._followed] += step
        self._at, self._turn = at, turn

    def _relative(self) -> tuple[Floats, Floats]:
        """(n, 3) origins and (n, 9) rotations of the bodies seen, in the frames of the others."""
        back = self._rotations.take(self._back).reshape(-1, 3, 3)
        apart = self._places.take(self._one, axis=0)
        apart -= self._places.take(self._other, axis=0)
        turn = back @ self._rotations.take(self._one, axis=0).reshape(-1, 3, 3)
        return (back @ apart[:, :, None])[:, :, 0], turn.reshape(-1, 9)


def radii(model: mj.MjModel) -> Floats:
    """(nbody,) radius of a sphere around each body's origin that holds all its geoms; infinite with a plane."""
    found = np.zeros(model.nbody)
    reach = model.geom_rbound + np.linalg.norm(model.geom_pos, axis=1)
    reach[model.geom_type == mj.mjtGeom.mjGEOM_PLANE.value] = np.inf
    np.maximum.at(found, model.geom_bodyid, reach)
    return found
