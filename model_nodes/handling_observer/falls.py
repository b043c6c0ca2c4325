"""How far an object has fallen since a hand last held it, and whether that is over."""

from __future__ import annotations

LEAST_FALL = 0.005
"""What is no lower than this has not fallen [m]."""
LEVEL_NS = 250_000_000
"""What has kept its height for so long does not fall any more [ns] ..."""
_LEVEL = 0.005
"""... within this [m]."""
LEAVES = 5.0
"""What falls farther leaves the world [m]."""


class FallDetector:
    """Compares an object's height with where a hand last held it.

    Attributes:
        height: how far it is below that [m].
        level_since_ns: since when it has kept its height.
    """

    def __init__(self) -> None:
        self.height = 0.0
        self.level_since_ns = 0
        self._held_at = self._level = 0.0

    def update(self, time_ns: int, z: float, held: bool) -> None:
        """Update with the object's height [m] at a time, and whether a hand still holds it."""
        if held:
            self._held_at = z
        self.height = self._held_at - z
        if held or not abs(z - self._level) <= _LEVEL:
            self._level, self.level_since_ns = z, time_ns

    def is_over(self, time_ns: int) -> bool:
        """Whether it does not fall any more, or has left the world."""
        return self.height > LEAVES or time_ns - self.level_since_ns >= LEVEL_NS
