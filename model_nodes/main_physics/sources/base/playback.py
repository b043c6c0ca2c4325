"""Plays back the motion of a base."""

from __future__ import annotations

import numpy as np

from model_nodes.main_physics.sources.base.path import PosePath
from model_nodes.main_physics.sources.base.placement import Placement
from model_nodes.main_physics.sources.part import BaseMotion
from model_nodes.main_physics.sources.playback import Ahead
from model_nodes.main_physics.sources.pose_arrays import composed, rotated

_BACKWARDS = (1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0)


class BasePlayback(Ahead[BaseMotion]):
    """The motion of a base in the world.

    Args:
        path: of the root link in odometry's frame.
        placement: of odometry's frame in the world.
        period_ns: the usual period between calls of `at`.
    """

    def __init__(self, path: PosePath, placement: Placement, period_ns: int) -> None:
        super().__init__(self._played, period_ns)
        self._path, self._placement = path, placement

    def _played(self, start_ns: int, rows: int, before_ns: int) -> list[BaseMotion]:
        since_ns = min(before_ns, start_ns - self._period)
        return motions(self._path, self._placement, start_ns, self._period, rows, since_ns)


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
