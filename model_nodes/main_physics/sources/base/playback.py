"""Plays back the motion of a base, evaluated ahead in blocks."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.saving.plain import Plain, numbers_of
from model_nodes.main_physics.sources.base.path import PosePath
from model_nodes.main_physics.sources.base.placement import Placement
from model_nodes.main_physics.sources.plan.part import BaseMotion
from model_nodes.main_physics.sources.pose_arrays import composed, rotated

_AHEAD_NS = 1_000_000_000
_MAX_ROWS = 1000
_BACKWARDS = (1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0)


class BasePlayback:
    """The motion of a base in the world.

    Args:
        path: of the root link in odometry's frame.
        placement: of odometry's frame in the world.
        period_ns: the usual period between calls of `at`.
    """

    def __init__(self, path: PosePath, placement: Placement, period_ns: int) -> None:
        self._path = path
        self._placement = placement
        self._period = period_ns
        self._rows = max(1, min(_MAX_ROWS, _AHEAD_NS // period_ns))
        self._block: list[BaseMotion] = []
        self._start = 0
        self._last = self._since = -period_ns

    def at(self, time_ns: int) -> BaseMotion:
        """Return the base at a time."""
        row, off = divmod(time_ns - self._start, self._period)
        if off or not 0 <= row < len(self._block):
            # Evaluating ahead pays off only if the caller keeps to the period.
            rows = self._rows if time_ns - self._last == self._period else 1
            self._since = min(self._last, time_ns - self._period)
            self._start, row = time_ns, 0
            self._block = self._evaluate(rows)
        self._last = time_ns
        return self._block[row]

    def _evaluate(self, rows: int) -> list[BaseMotion]:
        path, placement, start = self._path, self._placement, self._start
        return motions(path, placement, start, self._period, rows, self._since)

    def save(self) -> Plain:
        """Return which part was evaluated ahead, so that the rest of it is evaluated together again."""
        start, last, since = self._start, self._last, self._since
        return {"start_ns": start, "last_ns": last, "since_ns": since, "rows": len(self._block)}

    def restore(self, saved: Plain) -> None:
        """Evaluate the same part.

        Raises:
            Unsaveable: if it was saved of something else.
        """
        keys = ("start_ns", "last_ns", "since_ns", "rows")
        self._start, self._last, self._since, rows = numbers_of(saved, *keys)
        self._block = self._evaluate(rows) if rows else []


def motions(
    path: PosePath, placement: Placement, time_ns: int, period_ns: int, rows: int, since_ns: int
) -> list[BaseMotion]:
    """Return the base at a time and at the periods after it, as read-only arrays.

    Args:
        since_ns: corrections after this time are told with the first of them.
    """
    times = time_ns + period_ns * np.arange(rows, dtype=np.int64)
    odometry = path.at(times)
    places = placement.at(times)
    states = np.concatenate(
        (
            composed(places, odometry[:, :7]),
            rotated(places, odometry[:, 7:10]),
            rotated(places, odometry[:, 10:13]),
        ),
        axis=1,
    )
    own = odometry[:, :7] * _BACKWARDS
    odometry[:, 7:10] = rotated(own, odometry[:, 7:10])
    odometry[:, 10:13] = rotated(own, odometry[:, 10:13])
    states.flags.writeable = odometry.flags.writeable = False
    return list(map(BaseMotion, states, odometry, placement.words(since_ns, times)))
