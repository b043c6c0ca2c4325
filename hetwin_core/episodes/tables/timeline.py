"""The times of all states so far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]


class Timeline:
    """Grows state by state, and finds times by number and numbers by time."""

    def __init__(self) -> None:
        self._room: Times = np.empty(1024, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def times(self) -> Times:
        """(n,) all times [ns]."""
        return self._room[: self._count]

    def add(self, times: Times) -> None:
        """Add the states that follow."""
        count = self._count + len(times)
        if count > len(self._room):
            room = np.empty(max(count, 2 * len(self._room)), np.int64)
            room[: self._count] = self.times
            self._room = room
        self._room[self._count : count] = times
        self._count = count

    def time(self, number: int) -> int:
        """Return the time of a state [ns]."""
        return int(self._room[number])

    def number(self, time_ns: int) -> int:
        """Return the number of the last state that is not later; 0 for times before the first."""
        return max(0, int(np.searchsorted(self.times, time_ns, side="right")) - 1)
