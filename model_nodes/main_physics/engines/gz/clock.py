"""The time of the ensemble's steps."""

from __future__ import annotations


class Clock:
    """Counts periods.

    Attributes:
        period: length of one [s].
        periods: how many have gone by.
    """

    def __init__(self, period: float) -> None:
        self.period = period
        self.periods = 0

    @property
    def seconds(self) -> float:
        """The time now."""
        return self.periods * self.period

    def ns(self, share: float = 0.0) -> int:
        """The time in a share of the next period."""
        return round((self.periods + share) * self.period * 1e9)
