"""Observations that must last before they count."""

from __future__ import annotations

from collections.abc import Sequence


class Steady:
    """A number that changes only when the new one has lasted; this keeps flicker out.

    Args:
        dwell_ns: how long a new number must last.
        start: the number at first.

    Attributes:
        value: the number that holds.
        since_ns: when what holds was first seen.
    """

    def __init__(self, dwell_ns: int, start: int) -> None:
        self._dwell_ns = dwell_ns
        self.value = start
        self.since_ns = 0
        self._next = start
        self._next_since_ns = 0

    def update(self, time_ns: int, seen: int) -> bool:
        """Take what is seen at a time; answers whether the value changed."""
        if seen == self.value:
            self._next = seen
            return False
        if seen != self._next:
            self._next, self._next_since_ns = seen, time_ns
        if time_ns - self._next_since_ns < self._dwell_ns:
            return False
        self.value, self.since_ns = seen, self._next_since_ns
        return True


class Stillness:
    """Since when a pose has stayed within a small distance and angle.

    Positions over a time say more than velocities: they are not blurred by a solver's jitter or by
    a sensor's noise.

    Args:
        distance: in m.
        turn: in rad.
    """

    def __init__(self, distance: float, turn: float) -> None:
        self._square = distance * distance
        self._cosine = 1.0 - 0.125 * turn * turn  # cos(turn / 2), for small turns
        self._reference: Sequence[float] = ()
        self.since_ns = 0

    def update(self, time_ns: int, pose: Sequence[float]) -> None:
        """Take a pose (x y z, qw qx qy qz, ...) at a time."""
        if not self._reference or self._has_left(self._reference, pose):
            self._reference = pose
            self.since_ns = time_ns

    def _has_left(self, r: Sequence[float], p: Sequence[float]) -> bool:
        dx, dy, dz = p[0] - r[0], p[1] - r[1], p[2] - r[2]
        if not dx * dx + dy * dy + dz * dz <= self._square:
            return True
        return not abs(p[3] * r[3] + p[4] * r[4] + p[5] * r[5] + p[6] * r[6]) >= self._cosine
