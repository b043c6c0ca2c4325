"""Debouncing of observations: a change must last before it counts."""

from __future__ import annotations

from collections.abc import Sequence


class Debounced:
    """An integer that changes only when the new value has lasted.

    Args:
        dwell_ns: how long a new value must last.
        start: the initial value.

    Attributes:
        value: the current value.
        since_ns: when the current value was first observed.
    """

    def __init__(self, dwell_ns: int, start: int) -> None:
        self._dwell_ns = dwell_ns
        self.value = start
        self.since_ns = 0
        self._next = start
        self._next_since_ns = 0

    def update(self, time_ns: int, seen: int) -> bool:
        """Update with an observation at a time; returns whether the value changed."""
        if seen == self.value:
            self._next = seen
            return False
        if seen != self._next:
            self._next, self._next_since_ns = seen, time_ns
        if time_ns - self._next_since_ns < self._dwell_ns:
            return False
        self.value, self.since_ns = seen, self._next_since_ns
        return True


class RestDetector:
    """Detects since when a pose has stayed within a small distance and angle.

    Positions over time are more reliable than velocities: they are not disturbed by a solver's jitter or by
    sensor noise.

    Args:
        distance: of a pose at rest [m].
        turn: of a pose at rest [rad].
    """

    def __init__(self, distance: float, turn: float) -> None:
        self._square = distance * distance
        self._cosine = 1.0 - 0.125 * turn * turn  # cos(turn / 2), for small turns
        self._reference: Sequence[float] = ()
        self.since_ns = 0

    def update(self, time_ns: int, pose: Sequence[float]) -> None:
        """Update with a pose (x y z, qw qx qy qz, ...) at a time."""
        p, r = pose, self._reference
        if r:
            dx, dy, dz = p[0] - r[0], p[1] - r[1], p[2] - r[2]
            turn = abs(p[3] * r[3] + p[4] * r[4] + p[5] * r[5] + p[6] * r[6])
            if dx * dx + dy * dy + dz * dz <= self._square and turn >= self._cosine:
                return
        self._reference = pose
        self.since_ns = time_ns
