"""Keeps the steps of a run at the pace of real time."""

from __future__ import annotations

import time

from hetwin_core.ensemble.events import Event

SECOND = 1_000_000_000


class Pace:
    """Waits until a step is due; time that the twin is behind by more than a limit is given up.

    Args:
        max_lag: the limit [s].

    Attributes:
        period_ns: of the steps [ns].
        late: whether the twin is behind.
        epoch_ns: time 0 of the run, by the clock of this machine [ns].
    """

    def __init__(self, max_lag: float) -> None:
        self._max_ns = round(max_lag * SECOND)
        self._begun_ns = 0
        self._lost_ns = 0
        self.period_ns = 0
        self.late = False
        self.running = False
        self.epoch_ns = 0

    def start_clock(self) -> int:
        """Let time run from now on; returns `epoch_ns`."""
        self._begun_ns, self.epoch_ns = time.monotonic_ns(), time.time_ns()
        self.running = True
        return self.epoch_ns

    def wait(self, time_ns: int) -> None:
        """Wait until the step that ends at a time of the run may begin."""
        ahead = self.real_ns(time_ns - self.period_ns) - time.monotonic_ns()
        if ahead > 0:
            time.sleep(ahead / SECOND)
            self.late = False
            return
        behind = -ahead
        self.late = behind > (self._max_ns // 2 if self.late else self._max_ns)
        if behind > self._max_ns:
            self._begun_ns += behind
            self.epoch_ns += behind
            self._lost_ns += behind

    def real_ns(self, time_ns: int) -> int:
        """Return when a time of the run is in real time, by the monotonic clock [ns]."""
        return self._begun_ns + time_ns

    def events(self, time_ns: int) -> list[Event]:
        """Return what is to be reported about time that was given up since the last call."""
        lost, self._lost_ns = self._lost_ns, 0
        if not lost:
            return []
        return [Event("time_lost", time_ns, arguments={"seconds": round(lost / SECOND, 3)})]
