"""Compares the robot's clock with this machine's, by the messages that took the least time."""

from __future__ import annotations

from collections import deque

WINDOW_NS = 10_000_000_000
AGREE_NS = 100_000_000
"""Stamps that are at most this much older than their arrival (or a fifth of it newer) are of the same clock."""


class ClockComparison:
    """How far the robot's clock is behind this machine's.

    A message cannot arrive before it is sent, so the least difference between arrival and stamp of the last ten
    seconds tells the clocks' offset up to the fastest transport.

    Attributes:
        simulated: the robot's clock is that of a simulation, which may be slow, fast or stand: only the newest
            message tells how it is to this machine's.
    """

    def __init__(self) -> None:
        self._least: deque[tuple[int, int]] = deque()
        self.simulated = False

    def add(self, stamp_ns: int, arrived_ns: int) -> None:
        """Take note of one message.

        Args:
            stamp_ns: when the robot measured, by its clock.
            arrived_ns: when the message was here, by this machine's.
        """
        difference, least = arrived_ns - stamp_ns, self._least
        if self.simulated:
            least.clear()
        while least and least[-1][1] >= difference:
            least.pop()
        least.append((arrived_ns, difference))
        while least[0][0] < arrived_ns - WINDOW_NS:
            least.popleft()

    @property
    def difference_ns(self) -> int:
        """The least difference seen of late: arrival minus stamp."""
        return self._least[0][1] if self._least else 0

    @property
    def offset_ns(self) -> int:
        """What to add to the robot's stamps to have this machine's time; 0 if the clocks agree."""
        return self.difference_ns if self.simulated or not self.agree else 0

    @property
    def agree(self) -> bool:
        """Whether both clocks show the same time, up to the time that messages take; a simulated one need not."""
        return self.simulated or -AGREE_NS // 5 <= self.difference_ns <= AGREE_NS
