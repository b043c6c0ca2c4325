"""Rigid transforms of many times at once, rows of x y z qw qx qy qz."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats


def composed(outer: Floats, inner: Floats) -> Floats:
    """Return the poses (n, 7) `inner`, given in the frames `outer`, where those are given; either may be one."""
    w, x, y, z = outer[:, 3:7].T
    a, b, c, d = inner[:, 3:7].T
    turned = np.stack(
        (
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ),
        axis=1,
    )
    return np.concatenate((outer[:, :3] + rotated(outer, inner[:, :3]), turned), axis=1)


def rotated(poses: Floats, vectors: Floats) -> Floats:
    """Rotate vectors (n, 3) from the frames of poses (n, 7); either may be one."""
    w, axis = poses[:, 3:4], poses[:, 4:7]
    once = crossed(axis, vectors)
    return np.asarray(vectors + 2.0 * (w * once + crossed(axis, once)))


def crossed(first: Floats, second: Floats) -> Floats:
    """(n, 3) cross products; either may be one. NumPy's own takes ten times as long for a few."""
    (a, b, c), (x, y, z) = first.T, second.T
    return np.stack((b * z - c * y, c * x - a * z, a * y - b * x), axis=1)


def inverted(poses: Floats) -> Floats:
    """Return the inverse transforms of poses (n, 7)."""
    turned = poses[:, 3:7] * (1.0, -1.0, -1.0, -1.0)
    back = np.concatenate((np.zeros((len(poses), 3)), turned), axis=1)
    return np.concatenate((-rotated(back, poses[:, :3]), turned), axis=1)
