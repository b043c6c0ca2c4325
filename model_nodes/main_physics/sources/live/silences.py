"""When a live robot was silent."""

from __future__ import annotations


class Silences:
    """Intervals in which nothing came, in the order of their ends, by the robot's clock [ns]."""

    def __init__(self) -> None:
        self._known: list[tuple[int, int]] = []

    def add(self, begin_ns: int, end_ns: int) -> bool:
        """Add a silence; returns whether it is a new one, and no part of the last.

        Joints and base that are silent together are silent once.
        """
        if self._known and begin_ns < self._known[-1][1]:
            begin, end = self._known[-1]
            self._known[-1] = min(begin, begin_ns), max(end, end_ns)
            return False
        self._known.append((begin_ns, end_ns))
        return True

    def after(self, at_ns: int) -> int:
        """Return the total silence after a time [ns], and forget what was over before."""
        self._known = [silence for silence in self._known if silence[1] > at_ns]
        return sum(end - max(begin, at_ns) for begin, end in self._known)

    def clear(self) -> None:
        """Forget all."""
        self._known.clear()
