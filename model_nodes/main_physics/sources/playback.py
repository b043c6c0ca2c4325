"""Plays back recorded joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.ahead import Ahead
from model_nodes.main_physics.sources.interpolation import Interpolator
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.part import JointMotion


class Playback(Ahead[JointMotion]):
    """The motion of the robot's joints in the given order, as read-only arrays; joints that were not recorded are 0.

    Args:
        series: the recorded samples.
        joints: the robot's joints.
        period_ns: the usual period between calls of `at`.

    Attributes:
        driven: (joints,) which of them were recorded.
    """

    def __init__(self, series: Sequence[Series], joints: Sequence[str], period_ns: int) -> None:
        super().__init__(self._played, period_ns)
        self.driven: NDArray[np.bool_] = np.zeros(len(joints), np.bool_)
        self._parts: list[tuple[list[int], Interpolator]] = []
        for one in series:
            columns = [i for i, joint in enumerate(joints) if joint in one.names]
            if columns:
                self._parts.append((columns, Interpolator(one, [joints[i] for i in columns])))
                self.driven[columns] = True

    def _played(self, start_ns: int, rows: int, before_ns: int) -> list[JointMotion]:
        times = start_ns + self._period * np.arange(rows, dtype=np.int64)
        return motions(times, len(self.driven), self._parts)


def motions(
    times: NDArray[np.int64], count: int, parts: Sequence[tuple[list[int], Interpolator]]
) -> list[JointMotion]:
    """Return the motion of so many joints at times, as read-only arrays; the others are 0.

    Args:
        times: (n,) [ns].
        count: of the joints.
        parts: columns of joints, and what moves them.
    """
    shape = (len(times), count)
    tables: list[Floats] = [np.zeros(shape), np.zeros(shape), np.zeros(shape)]
    tables.append(np.full(shape, np.nan))
    for columns, interpolator in parts:
        for table, values in zip(tables, interpolator.at(times), strict=True):
            table[:, columns] = values
    for table in tables:
        table.flags.writeable = False
    return list(map(JointMotion, *tables))
