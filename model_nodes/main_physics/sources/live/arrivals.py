"""What arrives of a live robot's motion: samples in the order of the robot's stamps, of one stream or of several."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any, Generic, TypeVar

AHEAD = 4
"""Samples after a time on which the motion there may depend."""
_NEWEST = 40
"""So many samples say how far apart they usually are."""

Row = TypeVar("Row")


class Unusable(Exception):
    """A message cannot be used; the text is the reason."""


class Arrivals(Generic[Row]):
    """The samples of a stream; times are the robot's stamps [ns].

    Attributes:
        times: of the samples.
        rows: of the samples.
    """

    def __init__(self) -> None:
        self.times: list[int] = []
        self.rows: list[Row] = []

    def add(self, time_ns: int, row: Row) -> int | None:
        """Add a sample; returns the time since the last one [ns], None for the first.

        Raises:
            Unusable: if it is not newer than the last.
        """
        since = self.since(time_ns)
        self.times.append(time_ns)
        self.rows.append(row)
        return since

    def since(self, time_ns: int) -> int | None:
        """Return the time since the last sample [ns], None if there is none.

        Raises:
            Unusable: if the time is not after it.
        """
        since = time_ns - self.times[-1] if self.times else None
        if since is not None and since <= 0:
            raise Unusable(f"its stamp is {-since / 1e9:.3f} s older than the one before")
        return since

    @property
    def complete(self) -> bool:
        """Whether there is more than one sample, so that some motion is known."""
        return len(self.times) > 1

    @property
    def known_until(self) -> int:
        """The time up to which the motion is certain: one sample behind."""
        return self.times[-2]

    @property
    def newest(self) -> int:
        """The time of the newest sample."""
        return self.times[-1]

    def index_after(self, time_ns: int) -> int:
        """Return the index of the first sample at or after a time."""
        return bisect_left(self.times, time_ns)

    def bound(self, time_ns: int) -> int:
        """Return the time of the sample towards which the motion goes at a time."""
        return self.times[min(self.index_after(time_ns), len(self.times) - 1)]

    def interval_ns(self) -> int:
        """Return the median interval between recent samples [ns]; 0 if there is none."""
        intervals = [after - before for before, after in pairwise(self.times[-_NEWEST:])]
        return int(median(intervals)) if intervals else 0

    def drop_before(self, time_ns: int, kept: int) -> None:
        """Drop the samples before a time but for so many."""
        count = max(0, self.index_after(time_ns) - kept)
        del self.times[:count], self.rows[:count]

    def cut(self, begin_ns: int, end_ns: int, bridge_ns: int) -> None:
        """Delete the motion between two times and shift later samples to `bridge_ns` after the first."""
        shift = end_ns - begin_ns - bridge_ns
        first, last = self.index_after(begin_ns + 1), self.index_after(end_ns)
        last = max(min(last, len(self.times) - 2), first)
        del self.times[first:last], self.rows[first:last]
        self.times[first:] = [time - shift for time in self.times[first:]]


class Streams:
    """Several streams, of which at least one moves something; as one."""

    def __init__(self, streams: Sequence[Arrivals[Any]]) -> None:
        self._streams = streams

    @property
    def known_until(self) -> int:
        """The time up to which all motion is certain."""
        return min(stream.known_until for stream in self._streams)

    @property
    def newest(self) -> int:
        """The time of the newest sample."""
        return max(stream.newest for stream in self._streams)

    def bound(self, time_ns: int) -> int:
        """Return the time of the newest sample towards which anything moves at a time."""
        return max(stream.bound(time_ns) for stream in self._streams)

    def interval_ns(self) -> int:
        """Return the median interval between samples of the slowest stream [ns]."""
        return max((stream.interval_ns() for stream in self._streams), default=0)

    def cut(self, begin_ns: int, end_ns: int, bridge_ns: int) -> None:
        """Delete the motion between two times and shift later samples to `bridge_ns` after the first."""
        for stream in self._streams:
            stream.cut(begin_ns, end_ns, bridge_ns)
