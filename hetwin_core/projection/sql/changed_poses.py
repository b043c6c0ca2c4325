"""Poses where they change: what stands still for an hour is one row, not 360,000."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.projection.sql.views import VIEWS
from hetwin_core.projection.tables.rows import Interval
from hetwin_core.projection.tables.tables import Tables

STEP_M = 1e-4
STEP_TURN = 1e-3
"""A row stands for all poses that round to the same multiples of these, in place and in the quaternion's parts."""
_NUMBERS = 7
_NAMES = tuple(column.name for column in VIEWS["poses"][-_NUMBERS:])
_STEPS = np.array([STEP_M] * 3 + [STEP_TURN] * 4)
_METRES, _PARTS = 5, 4
"""Decimals that are kept, of places and of quaternions: a tenth of a step, and a third less to store than with six."""


class _Kept:
    """The poses of one entity that are kept so far."""

    def __init__(self, columns: slice) -> None:
        self._columns = columns
        self._last: NDArray[np.int64] | None = None
        self.times: list[NDArray[np.int64]] = []
        self.poses: list[Floats] = []

    def read(self, times: NDArray[np.int64], values: Floats) -> None:
        """Keep the poses that differ from the one before."""
        poses = values[:, self._columns][:, :_NUMBERS]
        cells = np.rint(np.nan_to_num(poses) / _STEPS).astype(np.int64)
        before = cells[:1] - 1 if self._last is None else self._last
        changed = (np.diff(cells, axis=0, prepend=before) != 0).any(axis=1)
        self._last = cells[-1:].copy()
        self.times.append(times[changed])
        self.poses.append(poses[changed])


def changed_poses(tables: Tables) -> Iterator[tuple[str, Mapping[str, NDArray[Any]]]]:
    """Iterate over the entities with a pose: name, and the columns of `poses` but the first two.

    The log is read once. A pose is within half a step of the row's in place, and in each part of the rotation.
    """
    kept = {
        slot.entity: _Kept(tables.layout.range_of(slot.entity, POSE.name))
        for slot in tables.layout.slots
        if slot.attribute.name == POSE.name
    }
    span = Interval(tables.start_ns, tables.known_until_ns + 1)
    for times, values in tables.poses.states(span):
        for one in kept.values():
            one.read(times, values)
    for entity, one in kept.items():
        if one.times:
            yield entity, _columns(one, tables.known_until_ns)


def _columns(kept: _Kept, until_ns: int) -> Mapping[str, NDArray[Any]]:
    times = np.concatenate(kept.times)
    poses = np.concatenate(kept.poses)
    poses[:, :3] = poses[:, :3].round(_METRES)
    poses[:, 3:] = poses[:, 3:].round(_PARTS)
    ends = np.append(times[1:], max(until_ns, int(times[-1])))
    found = {"from": times / 1e9, "to": ends / 1e9}
    return found | {name: poses[:, i].copy() for i, name in enumerate(_NAMES)}
