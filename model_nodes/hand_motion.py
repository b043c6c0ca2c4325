"""A hand's velocity, estimated from its latest poses."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from hetwin_core.ensemble.scene.poses import conjugate, multiply
from hetwin_core.ensemble.scene.values import Floats

_Sample: TypeAlias = tuple[int, Floats]


class HandMotion:
    """Fits a constant twist to the latest poses.

    Joint positions contain the noise of encoders and of interpolation; the difference of two samples may exceed
    1 m/s for a hand at rest. A fit over tens of milliseconds does not.

    Args:
        window_ns: minimum time that the fit covers, if there are enough poses [ns].
    """

    def __init__(self, window_ns: int) -> None:
        self._window_ns = window_ns
        self._samples: deque[_Sample] = deque()

    def clear(self) -> None:
        """Discard all poses."""
        self._samples.clear()

    def add(self, time_ns: int, pose: Floats) -> None:
        """Add a pose with twist (13,) in the world; ignored unless it is newer than the last one."""
        samples = self._samples
        if samples and time_ns <= samples[-1][0]:
            return
        samples.append((time_ns, pose.copy()))
        while len(samples) > 2 and samples[1][0] <= time_ns - self._window_ns:
            samples.popleft()

    def twist(self) -> Floats:
        """Return (6,) linear [m/s] and angular velocity [rad/s] in the world, by least squares.

        With a single pose it is the twist of that pose, without any pose it is zero.
        """
        if len(self._samples) < 2:
            return self._samples[-1][1][7:13].copy() if self._samples else np.zeros(6)
        times, rows = zip(*self._samples, strict=True)
        poses, last = np.array(rows), rows[-1]
        seconds = (np.array(times) - times[-1]) * 1e-9
        rotations: Any = multiply(tuple(poses[:, 3:7].T), conjugate(last[3:7].tolist()))
        rotation_vectors = _rotation_vectors(np.array(rotations).T.tolist())
        moves = np.column_stack((poses[:, :3] - last[:3], rotation_vectors))
        seconds -= seconds.mean()
        slopes: Floats = seconds @ moves / (seconds @ seconds)
        return slopes


def _rotation_vectors(quaternions: Iterable[Sequence[float]]) -> list[tuple[float, float, float]]:
    found = []
    for q in quaternions:
        w, x, y, z = q if q[0] >= 0 else (-q[0], -q[1], -q[2], -q[3])
        s = math.sqrt(x * x + y * y + z * z)
        factor = 2.0 * math.atan2(s, w) / s if s > 1e-12 else 2.0
        found.append((factor * x, factor * y, factor * z))
    return found
