"""Rotation matrices of quaternions w x y z, of one and of many at once, their angles, and those between them.

transforms3d's `quat2mat` divides by the squared norm, so that its results differ in the last bit; every model and
every room gets the same bits from here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.values import Floats


def rotation_matrices(quaternions: Floats) -> Floats:
    """Rotation matrices (n, 3, 3) of unit quaternions w x y z (n, 4)."""
    w, x, y, z = quaternions.T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.asarray(np.array(rows).transpose(2, 0, 1))


def rotation_matrix(quaternion: Sequence[float] | Floats) -> Floats:
    """Rotation matrix (3, 3) of a unit quaternion w x y z."""
    w, x, y, z = (float(c) for c in quaternion)
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )


def roll_pitch_yaw(quaternions: Floats) -> Floats:
    """Angles (n, 3) [rad] of unit quaternions w x y z (n, 4) about the fixed axes x, y and z, applied in this order.

    At a pitch of exactly 90 degrees up or down roll and yaw are not known apart, and not usable.
    """
    w, x, y, z = quaternions.T
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.stack([roll, pitch, yaw], axis=1)


def angles_between(one: Floats, other: Floats) -> Floats:
    """Angles (...) [rad] between quaternions w x y z (..., 4), of any length but 0, and others."""
    squares = np.einsum("...i,...i->...", one, one) * np.einsum("...i,...i->...", other, other)
    cosines = np.abs(np.einsum("...i,...i->...", one, other)) / np.maximum(np.sqrt(squares), 1e-12)
    return np.asarray(2.0 * np.arccos(np.minimum(cosines, 1.0)), np.float64)
