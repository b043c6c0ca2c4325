"""Corrects the times of a recorder whose clock was not set, or is not the robot's clock."""

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


def largest_span(times_ns: NDArray[np.int64]) -> tuple[int, int]:
    """Return the first and the last log time [ns] of the largest part of the messages without a gap of a year.

    A clock that was not set is at 0 for a while, or years away from the time to which it is set later. A recorder also
    stamps messages with 0 before simulated time has started.

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
    """Converts log times to the times of the stamps, by linear interpolation between messages.

    Args:
        logged, stamped: (n,) run times by log, and stamps [ns since the epoch], both increasing; n is at least 2.
    """

    def __init__(self, logged: Sequence[int], stamped: Sequence[int]) -> None:
        self._logged = list(logged)
        self.begin_ns = stamped[0] - self._lead_ns(logged, stamped)
        self._stamped = [stamp - self.begin_ns for stamp in stamped]

    @staticmethod
    def may_be_unset(first_ns: int, last_ns: int) -> bool:
        """Whether the first and the last log time suggest that the clock was not set for a while."""
        return first_ns == 0 or last_ns - first_ns > _YEAR_NS

    @staticmethod
    def _lead_ns(logged: Sequence[int], stamped: Sequence[int]) -> int:
        """Return the time from the start of the recording to the first stamp, by the clock of the stamps [ns]."""
        pace = (stamped[-1] - stamped[0]) / (logged[-1] - logged[0])
        return round(logged[0] * pace)

    @classmethod
    def from_messages(cls, messages: Sequence[tuple[int, bytes]], file: Path) -> LogClock:
        """Return the clock from messages that start with a header: run time of the log [ns], and payload (CDR).

        Raises:
            BadInput: if no stamp is later than another one.
        """
        logged: list[int] = []
        stamped: list[int] = []
        for log_ns, raw in messages:
            if len(raw) < ORIGIN + STAMP.size:
                continue
            seconds, nanoseconds = STAMP.unpack_from(raw, ORIGIN)
            stamp = seconds * _SECOND_NS + nanoseconds
            increases = not logged or (log_ns > logged[-1] and stamp > stamped[-1])
            if stamp > 0 and increases:
                logged.append(log_ns)
                stamped.append(stamp)
        if len(logged) < 2:
            raise BadInput(
                "the stamps of the joint states do not increase",
                file=file,
                where="stamps",
                found="header",
                expected="log, or no such key: the stamps are 0, or do not increase",
            )
        return cls(logged, stamped)

    def at(self, logged_ns: int) -> int:
        """Convert a log time to run time by the clock of the stamps [ns]; extrapolates beyond the messages."""
        logged, stamped = self._logged, self._stamped
        if not logged[0] <= logged_ns <= logged[-1]:
            end = 0 if logged_ns < logged[0] else -1
            pace = (stamped[-1] - stamped[0]) / (logged[-1] - logged[0])
            return max(round(stamped[end] + pace * (logged_ns - logged[end])), 0)
        i = min(bisect_right(logged, logged_ns) - 1, len(logged) - 2)
        share = (logged_ns - logged[i]) / (logged[i + 1] - logged[i])
        return round(stamped[i] + share * (stamped[i + 1] - stamped[i]))
