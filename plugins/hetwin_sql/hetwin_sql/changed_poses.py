"""Reduces poses to their changes: an object at rest for an hour is one row instead of 360,000."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_sql.views import VIEWS
from hetwin_suite.tables import POSE, Floats, Interval, Tables

STEP_M = 1e-4
STEP_QUATERNION = 1e-3
"""Poses that round to the same multiples of these steps share a row, in m and in components of the quaternion."""
_POSE_SIZE = 7
_POSE_COLUMNS = tuple(column.name for column in VIEWS["poses"][-_POSE_SIZE:])
_STEPS = np.array([STEP_M] * 3 + [STEP_QUATERNION] * 4)
_POSITION_DECIMALS, _QUATERNION_DECIMALS = 5, 4
"""Stored decimals of positions and quaternions: a tenth of a step; six decimals would take 50 % more storage."""


class _PoseChanges:
    """Collects the changed poses of all entities.

    Args:
        columns: slice of each entity's pose in the values of a state.
    """

    def __init__(self, columns: Sequence[slice]) -> None:
        self._columns = np.concatenate([np.arange(c.start, c.start + _POSE_SIZE) for c in columns])
        self._steps = np.tile(_STEPS, len(columns))
        self._last: Floats | None = None
        self.times: list[list[NDArray[np.int64]]] = [[] for _ in columns]
        self.poses: list[list[Floats]] = [[] for _ in columns]

    def read(self, times: NDArray[np.int64], values: Floats) -> None:
        """Add the poses that differ from the previous ones."""
        poses = values[:, self._columns]
        cells = np.nan_to_num(np.rint(poses / self._steps), copy=False)
        previous = cells[:1] - 1 if self._last is None else self._last
        differs = np.concatenate((previous, cells[:-1])) != cells
        self._last = cells[-1:].copy()
        changed = differs.reshape(len(times), -1, _POSE_SIZE).any(axis=2)
        poses = poses.reshape(len(times), -1, _POSE_SIZE)
        for i, rows in enumerate(changed.T):
            if rows.any():
                self.times[i].append(times[rows])
                self.poses[i].append(poses[rows, i])


def changed_poses(tables: Tables) -> Iterator[tuple[str, Mapping[str, NDArray[Any]]]]:
    """Iterate over the entities with a pose: name, and the columns of `poses` without the first two.

    The log is read once. The actual pose is within half a step of the row's in each component.
    """
    names = [slot.entity for slot in tables.layout.slots if slot.attribute.name == POSE.name]
    if not names:
        return
    changes = _PoseChanges([tables.layout.range_of(name, POSE.name) for name in names])
    for times, values in tables.poses.states(Interval(tables.start_ns, tables.known_until_ns + 1)):
        changes.read(times, values)
    for name, times_of, poses_of in zip(names, changes.times, changes.poses, strict=True):
        if times_of:
            yield name, _columns(np.concatenate(times_of), np.concatenate(poses_of), tables)


def _columns(times: NDArray[np.int64], poses: Floats, tables: Tables) -> Mapping[str, NDArray[Any]]:
    poses[:, :3] = poses[:, :3].round(_POSITION_DECIMALS)
    poses[:, 3:] = poses[:, 3:].round(_QUATERNION_DECIMALS)
    ends = np.append(times[1:], max(tables.known_until_ns, int(times[-1])))
    columns = {"from": times / 1e9, "to": ends / 1e9}
    return columns | {name: poses[:, i].copy() for i, name in enumerate(_POSE_COLUMNS)}
