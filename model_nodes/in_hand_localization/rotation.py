"""Rotation matrices of many quaternions at once."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats


def matrices(quaternions: Floats) -> Floats:
    """Rotation matrices (n, 3, 3) of unit quaternions w x y z (n, 4)."""
    w, x, y, z = quaternions.T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.asarray(np.array(rows).transpose(2, 0, 1))


def matrix(quaternion: Floats) -> Floats:
    """Rotation matrix (3, 3) of a unit quaternion w x y z."""
    w, x, y, z = quaternion.tolist()
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )
