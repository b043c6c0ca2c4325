"""Small linear algebra on many columns at once: each operation runs along the last axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SMALL = 1e-9


def solve_positive(matrices: Floats, vectors: Floats) -> Floats:
    """Return (k, m) the solutions of m systems of equations, by Cholesky's decomposition.

    Args:
        matrices: (k, k, m) symmetric and positive definite; overwritten.
        vectors: (k, m).
    """
    a, x = matrices, vectors.copy()
    k = len(x)
    for i in range(k):
        a[i, i] = np.sqrt(a[i, i])
        a[i + 1 :, i] /= a[i, i]
        below = a[i + 1 :, i]
        a[i + 1 :, i + 1 :] -= below[:, None] * below[None]
        x[i] /= a[i, i]
        x[i + 1 :] -= below * x[i]
    for i in range(k - 1, -1, -1):
        x[i] /= a[i, i]
        x[:i] -= a[i, :i] * x[i]
    return x


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
