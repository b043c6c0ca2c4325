"""Plays back joint motion, evaluated ahead in blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.saving.plain import Plain, numbers_of
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.interpolation import Interpolator
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.plan.part import JointMotion

_AHEAD_NS = 1_000_000_000
_MAX_ROWS = 1000


class Playback:
    """The motion of the robot's joints in the given order; joints that were not recorded are 0.

    Args:
        series: the recorded samples.
        joints: the robot's joints.
        period_ns: the usual period between calls of `at`.

    Attributes:
        driven: (joints,) which of them were recorded.
    """

    def __init__(self, series: Sequence[Series], joints: Sequence[str], period_ns: int) -> None:
        self.driven: NDArray[np.bool_] = np.zeros(len(joints), np.bool_)
        self._period = period_ns
        self._rows = max(1, min(_MAX_ROWS, _AHEAD_NS // period_ns))
        self._parts: list[tuple[list[int], Interpolator]] = []
        for one in series:
            columns = [i for i, joint in enumerate(joints) if joint in one.names]
            if columns:
                self._parts.append((columns, Interpolator(one, [joints[i] for i in columns])))
                self.driven[columns] = True
        self._block: list[JointMotion] = []
        self._start = 0
        self._last = -period_ns

    def at(self, time_ns: int) -> JointMotion:
        """Return the joints at a time, as read-only arrays."""
        row, off = divmod(time_ns - self._start, self._period)
        if off or not 0 <= row < len(self._block):
            # Evaluating ahead pays off only if the caller goes on, in periods.
            passed, off = divmod(time_ns - self._last, self._period)
            rows = self._rows if not off and 0 < passed < self._rows else 1
            self._block = self._evaluate(time_ns, rows)
            self._start, row = time_ns, 0
        self._last = time_ns
        return self._block[row]

    def save(self) -> Plain:
        """Return which part was evaluated ahead, so that the rest of it is evaluated together again."""
        return {"start_ns": self._start, "last_ns": self._last, "rows": len(self._block)}

    def restore(self, saved: Plain) -> None:
        """Evaluate the same part.

        Raises:
            Unsaveable: if it was saved of something else.
        """
        self._start, self._last, rows = numbers_of(saved, "start_ns", "last_ns", "rows")
        self._block = self._evaluate(self._start, rows) if rows else []

    def _evaluate(self, start_ns: int, rows: int) -> list[JointMotion]:
        times = start_ns + self._period * np.arange(rows, dtype=np.int64)
        shape = (rows, len(self.driven))
        tables: list[Floats] = [np.zeros(shape), np.zeros(shape), np.zeros(shape)]
        tables.append(np.full(shape, np.nan))
        for columns, interpolator in self._parts:
            for table, values in zip(tables, interpolator.at(times), strict=True):
                table[:, columns] = values
        for table in tables:
            table.flags.writeable = False
        return list(map(JointMotion, *tables))
