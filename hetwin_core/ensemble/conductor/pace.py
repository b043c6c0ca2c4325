"""Holds a run to some times real time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from hetwin_core.ensemble.errors import Refused

CATCH_UP_S = 0.15
"""Wall time that a run may be behind its pace and make good; what is more is forgotten [s]."""


class Pace:
    """How fast a run goes at most; may be set from any thread.

    Args:
        now: the wall clock [s].

    Attributes:
        factor: how many times real time; None: as fast as it goes.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self.factor: float | None = None
        self._begun: tuple[float, int] | None = None

    def set(self, factor: float | None) -> None:
        """Hold the run to so many times real time from now on; None: to nothing.

        Raises:
            Refused: if this is no pace.
        """
        if factor is not None and not (math.isfinite(factor) and factor > 0.0):
            raise Refused(f"a pace of {factor:g} is none; expected a number above 0, or none")
        self.factor = factor
        self._begun = None

    def begin_anew(self) -> None:
        """Count from the next step on, after the run has stood still."""
        self._begun = None

    def wait_s(self, time_ns: int) -> float:
        """Return how long the step that begins at a simulated time has to wait [s]; called in the run's thread."""
        factor = self.factor
        if factor is None:
            return 0.0
        now = self._now()
        begun = self._begun
        if begun is None:
            self._begun = (now, time_ns)
            return 0.0
        wait = begun[0] + (time_ns - begun[1]) / (1e9 * factor) - now
        if wait < -CATCH_UP_S:
            self._begun = (now - CATCH_UP_S, time_ns)
        return max(0.0, wait)
