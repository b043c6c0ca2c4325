"""Poses of a base as they arrive, and the path through them."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.base.leaps import SHIFTS, TURNS, first_leap
from model_nodes.main_physics.sources.base.path import PosePath, Unrolled
from model_nodes.main_physics.sources.live.samples import AHEAD, Unusable
from model_nodes.main_physics.world.description import Pose

KEPT_BEHIND = 300
"""Past samples that are kept, since a localization's poses are of some time ago."""
_REACH = 40
"""Samples before a time on which the path there depends, by their median interval."""
_COMPARED = 8
"""Samples before a step that say how fast the base moves anyway."""


class Leapt(Exception):
    """Odometry jumps, as no base drives; the text is by how much."""


class BaseSamples:
    """The received poses of the root link in odometry's frame; times are the robot's stamps [ns]."""

    def __init__(self) -> None:
        self._unrolled: Unrolled | None = None
        self._times: list[int] = []
        self._numbers: list[Floats] = []

    def add(self, time_ns: int, pose: Pose) -> int | None:
        """Add a pose; returns the time since the last one [ns], None for the first.

        Raises:
            Unusable: if it is not newer than the last.
            Leapt: if no base drives there from the last; it is added nevertheless.
        """
        since = time_ns - self._times[-1] if self._times else None
        if since is not None and since <= 0:
            raise Unusable(f"its stamp is {-since / 1e9:.3f} s older than the one before")
        row = np.array([pose])
        if self._unrolled is None:
            self._unrolled = Unrolled(row[0])
        self._times.append(time_ns)
        self._numbers.append(self._unrolled.numbers(row)[0])
        self._check_step()
        return since

    def clear(self) -> None:
        """Forget all but the newest pose."""
        del self._times[:-1], self._numbers[:-1]

    @property
    def complete(self) -> bool:
        """Whether there is more than one pose, so that some motion is known."""
        return len(self._times) > 1

    @property
    def known_until(self) -> int:
        """The time up to which the motion is certain: one sample behind."""
        return self._times[-2]

    @property
    def newest(self) -> int:
        """The time of the newest pose."""
        return self._times[-1]

    def bound(self, time_ns: int) -> int:
        """Return the time of the sample towards which the base moves at a time."""
        return self._times[min(self._index_after(time_ns), len(self._times) - 1)]

    def interval_ns(self) -> int:
        """Return the median interval between recent samples [ns]."""
        return int(np.median(np.diff(self._times[-40:]))) if self.complete else 0

    def path(self, from_ns: int, until_ns: int) -> PosePath:
        """Return the path between two times."""
        first = max(0, self._index_after(from_ns) - _REACH)
        end = self._index_after(until_ns) + AHEAD
        assert self._unrolled is not None, "no pose has been added"
        times = np.array(self._times[first:end], np.int64)
        return PosePath(times, np.array(self._numbers[first:end]), self._unrolled)

    def drop_before(self, time_ns: int) -> None:
        """Drop what lies long before a time."""
        first = max(0, self._index_after(time_ns) - KEPT_BEHIND)
        del self._times[:first], self._numbers[:first]

    def cut(self, begin_ns: int, end_ns: int, bridge_ns: int) -> None:
        """Delete the motion between two times and shift later samples to `bridge_ns` after the first."""
        shift = end_ns - begin_ns - bridge_ns
        first, last = self._index_after(begin_ns + 1), self._index_after(end_ns)
        last = max(min(last, len(self._times) - 2), first)
        del self._times[first:last], self._numbers[first:last]
        self._times[first:] = [time - shift for time in self._times[first:]]

    def _index_after(self, time_ns: int) -> int:
        return bisect_left(self._times, time_ns)

    def _check_step(self) -> None:
        if len(self._times) < 2:
            return
        step = np.abs(self._numbers[-1] - self._numbers[-2])
        if step[:3].max() < SHIFTS.step / 2.0 and step[3:].max() < TURNS.step / 2.0:
            return
        times = np.array(self._times[-_COMPARED:], np.int64)
        numbers = np.array(self._numbers[-_COMPARED:])
        leap = first_leap(times, numbers)
        if leap is not None and leap == len(times) - 2:
            shift, turn = np.linalg.norm(step[:3]), np.linalg.norm(step[3:])
            seconds = (times[-1] - times[-2]) / 1e9
            raise Leapt(f"by {shift:.3f} m and {turn:.3f} rad within {seconds:.3f} s")
