"""Monitors the connection to a live robot: clocks, silences, and whether the twin falls behind."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scenario.source import LagReaction, LiveSpec

WINDOW_NS = 10_000_000_000
AGREE_NS = 100_000_000
"""Maximum age of stamps at arrival for clocks that agree; stamps may be newer by a fifth of it [ns]."""


class ClockComparison:
    """The lag of the robot's clock behind this machine's.

    A message cannot arrive before it is sent, so the minimum difference between arrival and stamp in the last ten
    seconds is the offset of the clocks plus the minimum transport time.

    Attributes:
        simulated: whether the robot's clock is simulated and may be slow, fast or stopped; then only the newest
            message is used.
    """

    def __init__(self) -> None:
        self._minima: deque[tuple[int, int]] = deque()
        self.simulated = False

    def add(self, stamp_ns: int, arrived_ns: int) -> None:
        """Add one message.

        Args:
            stamp_ns: time of the measurement, by the robot's clock.
            arrived_ns: time of arrival, by this machine's clock.
        """
        difference, minima = arrived_ns - stamp_ns, self._minima
        if self.simulated:
            minima.clear()
        while minima and minima[-1][1] >= difference:
            minima.pop()
        minima.append((arrived_ns, difference))
        while minima[0][0] < arrived_ns - WINDOW_NS:
            minima.popleft()

    @property
    def difference_ns(self) -> int:
        """The minimum recent difference between arrival and stamp [ns]."""
        return self._minima[0][1] if self._minima else 0

    @property
    def offset_ns(self) -> int:
        """The offset from the robot's stamps to this machine's time [ns]; 0 if the clocks agree."""
        return self.difference_ns if self.simulated or not self.agree else 0

    @property
    def agree(self) -> bool:
        """Whether both clocks agree up to the transport time; always true for a simulated clock."""
        return self.simulated or -AGREE_NS // 5 <= self.difference_ns <= AGREE_NS


class Silences:
    """Intervals without any messages, in the order of their ends, by the robot's clock [ns]."""

    def __init__(self) -> None:
        self._silences: list[tuple[int, int]] = []

    def add(self, begin_ns: int, end_ns: int) -> bool:
        """Add a silence; returns whether it is a new one, rather than an extension of the last one.

        A silence of joints and base at the same time counts once.
        """
        if self._silences and begin_ns < self._silences[-1][1]:
            begin, end = self._silences[-1]
            self._silences[-1] = min(begin, begin_ns), max(end, end_ns)
            return False
        self._silences.append((begin_ns, end_ns))
        return True

    def total_after(self, at_ns: int) -> int:
        """Return the total silence after a time [ns], and drop silences that were over before."""
        self._silences = [silence for silence in self._silences if silence[1] > at_ns]
        return sum(end - max(begin, at_ns) for begin, end in self._silences)

    def clear(self) -> None:
        """Drop all silences."""
        self._silences.clear()


EventCallback: TypeAlias = Callable[[int, str, Mapping[str, Any]], object]
"""Adds an event: time of the run [ns], name, arguments."""
MAX_BACKLOG_NS = 60_000_000_000
"""Maximum lag of a twin [ns]; beyond it the run fails, since the samples would fill the memory."""


class Lateness:
    """Tracks whether a twin is late, and determines the reaction.

    The twin is late when it lags by more than `max_lag`, until the lag has fallen to half of that.

    Args:
        spec: the limit and the reaction.
        note: called when the twin becomes late and when it has caught up.
    """

    def __init__(self, spec: LiveSpec, note: EventCallback) -> None:
        self._spec, self._note = spec, note
        self._limit_ns = round(spec.max_lag * 1e9)
        self._late = False

    @property
    def lowers_rates(self) -> bool:
        """Whether other models should step at lower rates."""
        return self._late and self._spec.when_late is LagReaction.LOWER_RATES

    def must_skip(self, time_ns: int, lag_ns: int) -> bool:
        """React to a lag [ns] at a time of the run [ns]; returns whether motion must be skipped.

        Raises:
            RunFailed: if the run must end.
        """
        was_late = self._late
        self._late = lag_ns > (self._limit_ns // 2 if was_late else self._limit_ns)
        if self._late != was_late:
            self._report(time_ns, lag_ns)
        if not self._late:
            return False
        if self._spec.when_late is LagReaction.STOP or lag_ns > MAX_BACKLOG_NS:
            reason = (
                f"the twin is {lag_ns / 1e9:.3f} s behind the robot; expected at most"
                f" {self._spec.max_lag:g} s (max_lag; when_late: {self._spec.when_late})"
            )
            raise RunFailed("source", "read", time_ns, reason)
        return self._spec.when_late is LagReaction.SKIP

    def _report(self, time_ns: int, lag_ns: int) -> None:
        if not self._late:
            self._note(time_ns, "caught_up", {})
            return
        seconds, reaction = round(lag_ns / 1e9, 3), self._spec.when_late.value
        self._note(time_ns, "late", {"seconds": seconds, "then": reaction})


OK, WARN, ERROR = b"\x00", b"\x01", b"\x02"
"""Levels of diagnostic_msgs/DiagnosticStatus."""
MAX_LAGS = 2000
STATUS = "hetwin: robot"
"""Name of the diagnostic."""
FOLLOWS = "twin follows"
"""Key of the diagnostic for whether a run has started."""


class Health:
    """Counters and times for a diagnostic.

    Args:
        clocks: comparison of the robot's clock with this machine's.
    """

    def __init__(self, clocks: ClockComparison) -> None:
        self._clocks = clocks
        self._lock = threading.Lock()
        self._lags: deque[int] = deque(maxlen=MAX_LAGS)
        self._message_count = 0
        self._since = time.monotonic()
        self._gaps = 0
        self._longest_gap = 0.0
        self._unusable = 0
        self._problem = ""
        self._following = False

    def begin_run(self) -> None:
        """Reset the counters at the start of the run."""
        with self._lock:
            self._lags.clear()
            self._gaps, self._longest_gap = 0, 0.0
            self._following = True

    def count_message(self) -> None:
        """Count a joint message."""
        self._message_count += 1

    def record_lag(self, lag_ns: int) -> None:
        """Record the age of the newest sample at the start of a step [ns]."""
        with self._lock:
            self._lags.append(lag_ns)

    def record_gap(self, seconds: float) -> None:
        """Record a gap in the joint states [s]."""
        self._gaps += 1
        self._longest_gap = max(self._longest_gap, seconds)

    def record_unusable(self, reason: str) -> None:
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
            gap_s: minimum duration of a silence that is a gap.
            skipped_ns: duration of skipped motion.
            period_ns: period of the main model.
        """
        now = time.monotonic()
        with self._lock:
            lags = np.sort(np.array(self._lags, np.float64)) / 1e6
            self._lags.clear()
        rate = self._message_count / max(now - self._since, 1e-6)
        self._message_count, self._since = 0, now
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
        if count := len(lags):
            # not np.percentile, whose first call imports masked arrays while the robot is followed
            ranks = 0.5 * (count - 1), 0.95 * (count - 1)
            median, percentile_95 = np.interp(ranks, np.arange(count), lags)
            values["lag, median [ms]"] = f"{median:.2f}"
            values["lag, 95th percentile [ms]"] = f"{percentile_95:.2f}"
            values["lag, most [ms]"] = f"{lags[-1]:.2f}"
        if silent_s > gap_s:
            return WARN, f"no joint states for {silent_s:.1f} s; the twin waits", values
        if not self._clocks.agree:
            difference = self._clocks.difference_ns / 1e9
            return WARN, f"the robot's clock is {difference:.3f} s behind", values
        return OK, "receiving joint states", values
