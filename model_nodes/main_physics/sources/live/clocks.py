"""Estimates the offset between the robot's clock and this machine's from the fastest messages."""

from __future__ import annotations

from collections import deque

WINDOW_NS = 10_000_000_000
AGREE_NS = 100_000_000
"""Stamps at most this much older than their arrival (or a fifth of it newer) are from the same clock."""


class ClockComparison:
    """The lag of the robot's clock behind this machine's.

    A message cannot arrive before it is sent, so the least difference between arrival and stamp in the last ten
    seconds is the clocks' offset plus the least transport time.

    Attributes:
        simulated: whether the robot's clock is that of a simulation, which may be slow, fast or stopped: only the
            newest message is used then.
    """

    def __init__(self) -> None:
        self._least: deque[tuple[int, int]] = deque()
        self.simulated = False

    def add(self, stamp_ns: int, arrived_ns: int) -> None:
        """Add one message.

        Args:
            stamp_ns: time of the measurement, by the robot's clock.
            arrived_ns: time of arrival, by this machine's clock.
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
        """The least recent difference of arrival and stamp [ns]."""
        return self._least[0][1] if self._least else 0

    @property
    def offset_ns(self) -> int:
        """The offset from the robot's stamps to this machine's time [ns]; 0 if the clocks agree."""
        return self.difference_ns if self.simulated or not self.agree else 0

    @property
    def agree(self) -> bool:
        """Whether both clocks agree up to the transport time; always true for a simulated clock."""
        return self.simulated or -AGREE_NS // 5 <= self.difference_ns <= AGREE_NS
