"""Poses over time: sampled, and compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats

Times = NDArray[np.int64]
"""(n,) times in ns."""


def sampled(times: Times, known_ns: Times, poses: Floats) -> Floats:
    """Return (n, 7) poses at these times, interpolated linearly; outside of the known times, the nearest."""
    turns = (poses[1:, 3:] * poses[:-1, 3:]).sum(axis=1)
    signs = np.cumprod(np.concatenate([[1.0], np.where(turns < 0.0, -1.0, 1.0)]))
    steady = np.hstack([poses[:, :3], poses[:, 3:] * signs[:, None]])
    columns = [np.interp(times, known_ns, column) for column in steady.T]
    result: Floats = np.stack(columns, axis=1)
    return result


def since(poses: Floats, start: Floats) -> Floats:
    """Return (n, 7) how far and how the poses have moved and turned since the start, along the world's axes."""
    back = start[0, 3:] * np.array([1.0, -1.0, -1.0, -1.0])
    return np.hstack([poses[:, :3] - start[0, :3], _multiplied(poses[:, 3:], back)])


def _multiplied(one: Floats, other: Floats) -> Floats:
    """Return (n, 4) products of (n, 4) quaternions and one of (4,)."""
    w, x, y, z = one.T
    a, b, c, d = other
    return np.stack(
        [
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ],
        axis=1,
    )


def still(count: int) -> Floats:
    """Return (n, 7) no motion."""
    return np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 1))
