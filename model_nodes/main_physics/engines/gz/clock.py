"""The simulated time of the ensemble's steps."""

from __future__ import annotations


class Clock:
    """Counts periods, so that rounding errors do not accumulate.

    Attributes:
        period: duration of one [s].
        periods: number of periods that have elapsed.
    """

    def __init__(self, period: float) -> None:
        self.period = period
        self.periods = 0

    @property
    def seconds(self) -> float:
        """The current time [s]."""
        return self.periods * self.period

    def ns(self, share: float = 0.0) -> int:
        """The time after a fraction of the next period [ns]."""
        return round((self.periods + share) * self.period * 1e9)
