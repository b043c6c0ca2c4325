"""The motion of a cup, and the resulting accelerations in its frame."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from hetwin_suite.model import Floats, conjugate, rotate


@dataclass(frozen=True, slots=True)
class Field:
    """Acceleration in a moving frame: ``uniform + positions @ by_position + velocities @ by_velocity``.

    Gravity and the frame's linear acceleration are uniform; centrifugal and Euler acceleration depend on the
    position, Coriolis acceleration on the velocity, both in the frame.

    Attributes:
        uniform: (3,) uniform acceleration [m/s2].
        by_position: (3, 3) gradient by position [1/s2].
        by_velocity: (3, 3) gradient by velocity [1/s].
    """

    uniform: Floats
    by_position: Floats
    by_velocity: Floats

    def at(self, positions: Floats, velocities: Floats) -> Floats:
        """Return (n, 3) accelerations [m/s2] of points (n, 3) [m] with velocities (n, 3) [m/s]."""
        found: Floats = positions @ self.by_position
        found += self.uniform
        found += velocities @ self.by_velocity
        return found


class CupMotion:
    """Tracks a cup's pose and twist and computes the accelerations in its frame.

    A recorded robot's velocities contain encoder noise, so the acceleration is the slope of a line fitted to the latest
    twists. Positions are not used: a handover may correct a pose discontinuously, which must not accelerate the fluid.

    Args:
        gravity: (3,) gravity in the world [m/s2].
        window_ns: minimum duration of the fit, if there are enough samples [ns]; 0: the last two twists.
    """

    def __init__(self, gravity: Floats, window_ns: int) -> None:
        self._gravity = gravity
        self._window_ns = window_ns
        self._samples: deque[tuple[int, Floats]] = deque()

    @property
    def pose(self) -> Floats:
        """(13,) the newest pose and twist in the world."""
        return self._samples[-1][1]

    def add(self, time_ns: int, pose: Floats) -> None:
        """Add the cup's pose and twist (13,) in the world, replacing samples of the same or a later time."""
        samples = self._samples
        while samples and samples[-1][0] >= time_ns:
            samples.pop()
        samples.append((time_ns, pose.copy()))
        while len(samples) > 2 and samples[1][0] <= time_ns - self._window_ns:
            samples.popleft()

    def field(self) -> Field:
        """Return the accelerations in the cup's frame at its newest pose."""
        twist, slope = self._fit()
        back = conjugate(self.pose[3:7].tolist())
        uniform = rotate(back, (self._gravity - slope[:3]).tolist())
        spin = _cross_matrix(rotate(back, twist[3:].tolist()))
        spin_up = _cross_matrix(rotate(back, slope[3:].tolist()))
        # Transposed, since positions and velocities are rows.
        return Field(np.array(uniform), -(spin @ spin + spin_up).T, -2.0 * spin.T)

    def _fit(self) -> tuple[Floats, Floats]:
        """Return (6,) the twist at the newest time and its (6,) slope, by a line through the samples."""
        if len(self._samples) < 2:
            return self.pose[7:13], np.zeros(6)
        last = self._samples[-1][0]
        seconds = np.array([(time_ns - last) * 1e-9 for time_ns, _ in self._samples])
        twists = np.array([pose[7:13] for _, pose in self._samples])
        count = len(seconds)
        middle, mean = np.add.reduce(seconds) / count, np.add.reduce(twists) / count
        seconds -= middle
        slope = seconds @ twists / (seconds @ seconds)
        return mean - slope * middle, slope


def _cross_matrix(v: tuple[float, float, float]) -> Floats:
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
