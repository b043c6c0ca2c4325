"""How a cup moves, and what those inside feel of it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.poses import conjugate, rotate
from hetwin_core.ensemble.scene.values import Floats


@dataclass(frozen=True, slots=True)
class Field:
    """Acceleration in a moving frame: ``uniform + positions @ by_position + velocities @ by_velocity``.

    Gravity and the frame's linear acceleration are uniform; centrifugal and Euler acceleration depend on the
    position, that of Coriolis on the velocity, both in the frame.

    Attributes:
        uniform: (3,) [m/s2].
        by_position: (3, 3) [1/s2].
        by_velocity: (3, 3) [1/s].
    """

    uniform: Floats
    by_position: Floats
    by_velocity: Floats

    def at(self, positions: Floats, velocities: Floats) -> Floats:
        """(n, 3) accelerations of points (n, 3) [m] that move with velocities (n, 3) [m/s]."""
        found: Floats = positions @ self.by_position
        found += self.uniform
        found += velocities @ self.by_velocity
        return found


class CupMotion:
    """Follows a cup's pose and twist and tells the field inside.

    A recorded robot's velocities carry the noise of its encoders, so the acceleration is the slope of a line
    through the twists of the last moments. Twists and not positions: a pose may be corrected in a jump when a
    responsibility moves, which no fluid shall feel.

    Args:
        gravity: (3,) in the world [m/s2].
        window_ns: how much time the line covers at least, if there is as much; 0: the last two twists.
    """

    def __init__(self, gravity: Floats, window_ns: int) -> None:
        self._gravity = gravity
        self._window_ns = window_ns
        self._seen: deque[tuple[int, Floats]] = deque()

    @property
    def pose(self) -> Floats:
        """(13,) the newest pose and twist in the world."""
        return self._seen[-1][1]

    def see(self, time_ns: int, pose: Floats) -> None:
        """Note the cup's pose and twist (13,) in the world; one of a time already seen replaces it."""
        seen = self._seen
        while seen and seen[-1][0] >= time_ns:
            seen.pop()
        seen.append((time_ns, pose.copy()))
        while len(seen) > 2 and seen[1][0] <= time_ns - self._window_ns:
            seen.popleft()

    def field(self) -> Field:
        """What is felt in the cup's frame at its newest pose."""
        twist, slope = self._fit()
        back = conjugate(self.pose[3:7].tolist())
        uniform = rotate(back, (self._gravity - slope[:3]).tolist())
        spin = _cross_matrix(rotate(back, twist[3:].tolist()))
        spin_up = _cross_matrix(rotate(back, slope[3:].tolist()))
        # Transposed, since positions and velocities are rows.
        return Field(np.array(uniform), -(spin @ spin + spin_up).T, -2.0 * spin.T)

    def _fit(self) -> tuple[Floats, Floats]:
        """(6,) twist at the newest time and its (6,) slope, by a line through what was seen."""
        if len(self._seen) < 2:
            return self.pose[7:13], np.zeros(6)
        last = self._seen[-1][0]
        seconds = np.array([(time_ns - last) * 1e-9 for time_ns, _ in self._seen])
        twists = np.array([pose[7:13] for _, pose in self._seen])
        count = len(seconds)
        middle, mean = np.add.reduce(seconds) / count, np.add.reduce(twists) / count
        seconds -= middle
        slope = seconds @ twists / (seconds @ seconds)
        return mean - slope * middle, slope


def _cross_matrix(v: tuple[float, float, float]) -> Floats:
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
