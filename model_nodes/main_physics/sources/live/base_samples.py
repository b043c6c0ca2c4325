"""Poses of a base as they arrive, and the path through them."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.base.leaps import SHIFTS, TURNS, first_leap
from model_nodes.main_physics.sources.base.path import PosePath, Unrolled
from model_nodes.main_physics.sources.live.arrivals import AHEAD, Arrivals
from model_nodes.main_physics.world.description import Pose

KEPT_BEHIND = 300
"""Past samples that are kept, since a localization's poses are of some time ago."""
_REACH = 40
"""Samples before a time on which the path there depends, by their median interval."""
_COMPARED = 8
"""Samples before a step that say how fast the base moves anyway."""


class Leapt(Exception):
    """Odometry jumps, as no base drives; the text is by how much."""


class BaseSamples(Arrivals[Floats]):
    """The received poses of the root link in odometry's frame; times are the robot's stamps [ns]."""

    def __init__(self) -> None:
        super().__init__()
        self._unrolled: Unrolled | None = None

    def add_pose(self, time_ns: int, pose: Pose) -> int | None:
        """Add a pose; returns the time since the last one [ns], None for the first.

        Raises:
            Unusable: if it is not newer than the last.
            Leapt: if no base drives there from the last; it is added nevertheless.
        """
        self.since(time_ns)
        row = np.array([pose])
        if self._unrolled is None:
            self._unrolled = Unrolled(row[0])
        since = self.add(time_ns, self._unrolled.numbers(row)[0])
        self._check_step()
        return since

    def clear(self) -> None:
        """Forget all but the newest pose."""
        del self.times[:-1], self.rows[:-1]

    def path(self, from_ns: int, until_ns: int) -> PosePath:
        """Return the path between two times."""
        first = max(0, self.index_after(from_ns) - _REACH)
        end = self.index_after(until_ns) + AHEAD
        assert self._unrolled is not None, "no pose has been added"
        times = np.array(self.times[first:end], np.int64)
        return PosePath(times, np.array(self.rows[first:end]), self._unrolled)

    def _check_step(self) -> None:
        if len(self.times) < 2:
            return
        step = np.abs(self.rows[-1] - self.rows[-2])
        if step[:3].max() < SHIFTS.step / 2.0 and step[3:].max() < TURNS.step / 2.0:
            return
        times = np.array(self.times[-_COMPARED:], np.int64)
        numbers = np.array(self.rows[-_COMPARED:])
        leap = first_leap(times, numbers)
        if leap is not None and leap == len(times) - 2:
            shift, turn = np.linalg.norm(step[:3]), np.linalg.norm(step[3:])
            seconds = (times[-1] - times[-2]) / 1e9
            raise Leapt(f"by {shift:.3f} m and {turn:.3f} rad within {seconds:.3f} s")
