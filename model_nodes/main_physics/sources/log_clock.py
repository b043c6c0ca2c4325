"""The clock by which a recorder dates messages, where it was not set, or is not that of the robot."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.sources.joint_messages import ORIGIN, STAMP

_YEAR_NS = 365 * 86_400 * 10**9
_SECOND_NS = 10**9


def believed_span(times_ns: NDArray[np.int64]) -> tuple[int, int]:
    """Return the first and the last log time [ns] of most messages: those without a year between two of them.

    A clock that was not set is at 0 for a while, or years from the time to which it is set. Before simulated time has
    begun, too, a recorder dates messages with 0.

    Args:
        times_ns: (n,) log times since the epoch, increasing.
    """
    steps = np.diff(times_ns)
    parts = steps > _YEAR_NS
    parts |= (times_ns[:-1] == 0) & (steps > _SECOND_NS)
    ends = [0, *(np.flatnonzero(parts) + 1).tolist(), len(times_ns)]
    begin, end = max(pairwise(ends), key=lambda part: part[1] - part[0])
    return int(times_ns[begin]), int(times_ns[end - 1])


class LogClock:
    """Turns times of the log into those of the stamps, along straight lines between messages.

    Args:
        logged, stamped: (n,) run times by log, and stamps [ns since the epoch], both increasing; n is at least 2.
    """

    def __init__(self, logged: Sequence[int], stamped: Sequence[int]) -> None:
        self._logged = list(logged)
        self.begin_ns = stamped[0] - self._before(logged, stamped)
        self._stamped = [stamp - self.begin_ns for stamp in stamped]

    @staticmethod
    def may_be_unset(first_ns: int, last_ns: int) -> bool:
        """Whether the clock may have been unset, by the first and the last log time."""
        return first_ns == 0 or last_ns - first_ns > _YEAR_NS

    @staticmethod
    def _before(logged: Sequence[int], stamped: Sequence[int]) -> int:
        """Return how long before the first stamp the recording begins, by the clock of the stamps [ns]."""
        pace = (stamped[-1] - stamped[0]) / (logged[-1] - logged[0])
        return round(logged[0] * pace)

    @classmethod
    def learned(cls, messages: Sequence[tuple[int, bytes]], file: Path) -> LogClock:
        """Return the clock of messages that begin with a header: run time of the log [ns], and payload (CDR).

        Raises:
            BadInput: if there are no two stamps of which the second is later.
        """
        logged: list[int] = []
        stamped: list[int] = []
        for log_ns, raw in messages:
            if len(raw) < ORIGIN + STAMP.size:
                continue
            seconds, nanoseconds = STAMP.unpack_from(raw, ORIGIN)
            stamp = seconds * _SECOND_NS + nanoseconds
            later = not logged or (log_ns > logged[-1] and stamp > stamped[-1])
            if stamp > 0 and later:
                logged.append(log_ns)
                stamped.append(stamp)
        if len(logged) < 2:
            raise BadInput(
                "the stamps of the joint states do not say when they were sent",
                file=file,
                where="stamps",
                found="header",
                expected="log, or no such key: stamps are 0, or do not go on",
            )
        return cls(logged, stamped)

    def at(self, logged_ns: int) -> int:
        """Return the run time by the clock of the stamps [ns]; beyond the messages it goes on at their pace."""
        logged, stamped = self._logged, self._stamped
        if not logged[0] <= logged_ns <= logged[-1]:
            end = 0 if logged_ns < logged[0] else -1
            pace = (stamped[-1] - stamped[0]) / (logged[-1] - logged[0])
            return max(round(stamped[end] + pace * (logged_ns - logged[end])), 0)
        i = min(bisect_right(logged, logged_ns) - 1, len(logged) - 2)
        share = (logged_ns - logged[i]) / (logged[i + 1] - logged[i])
        return round(stamped[i] + share * (stamped[i + 1] - stamped[i]))
