"""What arrives of a live robot's motion, taken together: its joints and its base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Stream(Protocol):
    """Samples of some motion; times are the robot's stamps [ns]."""

    @property
    def known_until(self) -> int:
        """The time up to which the motion is certain."""

    @property
    def newest(self) -> int:
        """The time of the newest sample."""

    def bound(self, time_ns: int) -> int:
        """Return the time of the newest sample towards which anything moves at a time."""

    def interval_ns(self) -> int:
        """Return the median interval between samples [ns]."""

    def cut(self, begin_ns: int, end_ns: int, bridge_ns: int) -> None:
        """Delete the motion between two times and shift later samples to `bridge_ns` after the first."""


class Streams:
    """Several streams, of which at least one moves something; as one."""

    def __init__(self, streams: Sequence[Stream]) -> None:
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

    def cut(self, begin_ns: int, end_ns: int, bridge_ns: int) -> None:
        """Delete the motion between two times and shift later samples to `bridge_ns` after the first."""
        for stream in self._streams:
            stream.cut(begin_ns, end_ns, bridge_ns)
