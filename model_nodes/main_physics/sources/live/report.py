"""The state of the connection to a live robot, for diagnostics."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping

import numpy as np

from model_nodes.main_physics.sources.live.clocks import ClockComparison

OK, WARN, ERROR = b"\x00", b"\x01", b"\x02"
"""Levels of diagnostic_msgs/DiagnosticStatus."""
KEPT_LAGS = 2000
STATUS = "hetwin: robot"
"""Name of the diagnostic."""
FOLLOWS = "twin follows"
"""Key of the diagnostic for whether a run has begun."""


class Health:
    """Counters and times for a diagnostic.

    Args:
        clocks: comparison of the robot's clock with this machine's.
    """

    def __init__(self, clocks: ClockComparison) -> None:
        self._clocks = clocks
        self._lock = threading.Lock()
        self._lags: deque[int] = deque(maxlen=KEPT_LAGS)
        self._heard = 0
        self._since = time.monotonic()
        self._gaps = 0
        self._longest_gap = 0.0
        self._unusable = 0
        self._problem = ""
        self._following = False

    def begin_run(self) -> None:
        """Reset the counters when the run begins."""
        with self._lock:
            self._lags.clear()
            self._gaps, self._longest_gap = 0, 0.0
            self._following = True

    def heard(self) -> None:
        """Count a joint message."""
        self._heard += 1

    def lags(self, lag_ns: int) -> None:
        """Record the age of the newest sample at the beginning of a step [ns]."""
        with self._lock:
            self._lags.append(lag_ns)

    def gap(self, seconds: float) -> None:
        """Record a gap in the joint states [s]."""
        self._gaps += 1
        self._longest_gap = max(self._longest_gap, seconds)

    def unusable(self, reason: str) -> None:
        """Count a message that could not be used."""
        self._unusable += 1
        self._problem = reason

    def last_problem(self) -> str:
        """Describe the newest unusable message; empty if there was none."""
        return f" ({self._unusable} messages could not be used: {self._problem})" * bool(
            self._unusable
        )

    def report(
        self, silent_s: float, gap_s: float, skipped_ns: int, period_ns: int
    ) -> tuple[bytes, str, Mapping[str, str]]:
        """Return level, message and values of the diagnostic.

        Args:
            silent_s: time since the newest joint state.
            gap_s: silence from which on it is a gap.
            skipped_ns: duration of skipped motion.
            period_ns: of the main model.
        """
        now = time.monotonic()
        with self._lock:
            lags = np.array(self._lags, np.float64) / 1e6
            self._lags.clear()
        rate = self._heard / max(now - self._since, 1e-6)
        self._heard, self._since = 0, now
        values = {
            "joint states [1/s]": f"{rate:.1f}",
            "silent for [s]": f"{silent_s:.3f}",
            "gaps": str(self._gaps),
            "longest gap [s]": f"{self._longest_gap:.3f}",
            "clock difference [ms]": f"{self._clocks.difference_ns / 1e6:.3f}",
            "unusable messages": str(self._unusable),
            "missed steps": str(skipped_ns // period_ns),
            FOLLOWS: "yes" if self._following else "not yet",
        }
        if len(lags):
            median, most = np.percentile(lags, (50, 95))
            values["lag, median [ms]"] = f"{median:.2f}"
            values["lag, 95th percentile [ms]"] = f"{most:.2f}"
            values["lag, most [ms]"] = f"{lags.max():.2f}"
        if silent_s > gap_s:
            return WARN, f"no joint states for {silent_s:.1f} s; the twin waits", values
        if not self._clocks.agree:
            difference = self._clocks.difference_ns / 1e9
            return WARN, f"the robot's clock is {difference:.3f} s behind", values
        return OK, "receiving joint states", values
