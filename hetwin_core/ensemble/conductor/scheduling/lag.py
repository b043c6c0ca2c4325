"""How far the twin of a live robot is behind it, and what is done about that."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from hetwin_core.ensemble.conductor.scheduling.scheduler import Scheduler
from hetwin_core.ensemble.events import Json

MAX_SAMPLES = 200_000


class LagControl:
    """Measures the age of the newest joint sample in each published state; lets models step less often if it is high.

    Args:
        scheduler: is adapted.
        warn: called with (source, text) when that changes the rates.

    Attributes:
        is_live: whether any published state came from a live robot.
        newest_s: of the newest state; None if it came from no live robot.
    """

    def __init__(self, scheduler: Scheduler, warn: Callable[[str, str], None]) -> None:
        self._scheduler = scheduler
        self._warn = warn
        self._lags: list[int] = []
        self.is_live = False
        self.newest_s: float | None = None

    def published(self, step: int, input_ns: int, *, late: bool) -> None:
        """The state after a step is published now.

        Args:
            step: of the main model.
            input_ns: when the newest joint sample in it was measured, in the system time of this machine [ns].
            late: whether the twin is too far behind.
        """
        self.is_live = True
        lag = time.time_ns() - input_ns
        self.newest_s = lag / 1e9
        if len(self._lags) < MAX_SAMPLES:
            self._lags.append(lag)
        if self._scheduler.adapt(step, late):
            stretch = self._scheduler.stretch
            text = "models step at their rates again"
            if stretch > 1:
                text = f"the twin is late: models step {stretch} times less often"
            self._warn("conductor", text)

    def summary(self) -> Mapping[str, Json]:
        """Number of states, and median, 95th percentile and maximum in ms; empty if the robot was not live."""
        if not self._lags:
            return {}
        lags = np.array(self._lags, np.float64) / 1e6
        median, high = np.percentile(lags, (50, 95)).tolist()
        return {
            "states": len(lags),
            "lag_median_ms": round(median, 3),
            "lag_p95_ms": round(high, 3),
            "lag_max_ms": round(float(lags.max()), 3),
        }
