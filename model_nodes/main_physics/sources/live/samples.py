"""Joint samples as they arrive, and the motion through them.

The twin follows the robot with a delay of one sample: the motion between two samples depends on the sample after
them, as in a replay. A recording that is published live therefore gives exactly the same motion as its replay.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.interpolation import Interpolator
from model_nodes.main_physics.sources.joint_messages import JointSample
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.plan.part import JointMotion

KEPT_BEHIND = 40
"""Past samples that are kept, for the slopes and the median interval."""
AHEAD = 4
"""Samples after the requested time on which the motion may depend."""
MAX_ROWS = 50


class _Group:
    """Samples of the joints of the same messages."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.orders: dict[tuple[str, ...], NDArray[np.intp]] = {}
        self.times: list[int] = []
        self.positions: list[Floats] = []
        self.efforts: list[Floats] = []

    def add(self, time_ns: int, positions: Floats, efforts: Floats) -> None:
        self.times.append(time_ns)
        self.positions.append(positions)
        self.efforts.append(efforts)

    def drop_first(self, count: int) -> None:
        del self.times[:count], self.positions[:count], self.efforts[:count]

    def index_after(self, time_ns: int) -> int:
        """Return the index of the first sample at or after a time."""
        return bisect_left(self.times, time_ns)

    def interval_ns(self) -> float:
        """Return the median interval between the newest samples, of which there are at least two [ns]."""
        newest = self.times[-KEPT_BEHIND:]
        return median(after - before for before, after in pairwise(newest))


class Unusable(Exception):
    """A message cannot be used; the text is the reason."""


class JointSamples:
    """All received joint samples; times are the robot's stamps [ns].

    Args:
        renamed: the robot's name of a joint, by its name in the messages, where they differ.
    """

    def __init__(self, renamed: dict[str, str]) -> None:
        self._renamed = renamed
        self._groups: dict[frozenset[str], _Group] = {}
        self._columns: list[tuple[_Group, list[int], list[str]]] = []
        self._joints = 0

    @property
    def names(self) -> tuple[str, ...]:
        """All received joints, by the robot's names, sorted."""
        return tuple(sorted({name for group in self._groups.values() for name in group.names}))

    def add(self, sample: JointSample, time_ns: int) -> int | None:
        """Add a message; returns the time since the last one of the same joints [ns], None for the first.

        Raises:
            Unusable: if it is malformed or not newer than the last.
        """
        size = 8 * len(sample.names)
        if len(sample.positions) != size:
            raise Unusable(f"{len(sample.names)} names, {len(sample.positions) // 8} positions")
        if size == 0:
            raise Unusable("it contains no joint")
        positions = np.frombuffer(sample.positions)
        if not np.isfinite(positions).all():
            raise Unusable("a position is not a number")
        efforts = np.full(len(sample.names), np.nan)
        if len(sample.efforts) == size:
            efforts = np.frombuffer(sample.efforts)
        group = self._group(sample.names)
        order = group.orders[sample.names]
        since = time_ns - group.times[-1] if group.times else None
        if since is not None and since <= 0:
            raise Unusable(f"its stamp is {-since / 1e9:.3f} s older than the one before")
        group.add(time_ns, positions[order], efforts[order])
        return since

    def _group(self, names: tuple[str, ...]) -> _Group:
        robot_names = tuple(self._renamed.get(name, name) for name in names)
        if len(set(robot_names)) != len(robot_names):
            raise Unusable("it contains a joint twice")
        key = frozenset(robot_names)
        group = self._groups.setdefault(key, _Group(robot_names))
        if names not in group.orders:
            order = [robot_names.index(name) for name in group.names]
            group.orders[names] = np.array(order, np.intp)
        return group

    def bind(self, joints: Sequence[str]) -> NDArray[np.bool_]:
        """Select joints and their order; returns (joints,) which of them are received.

        A joint that several publishers publish follows the first of them.
        """
        self._joints = len(joints)
        self._columns = []
        driven = np.zeros(len(joints), np.bool_)
        for group in self._groups.values():
            columns = [i for i, j in enumerate(joints) if j in group.names and not driven[i]]
            if columns:
                driven[columns] = True
                self._columns.append((group, columns, [joints[i] for i in columns]))
        return driven

    @property
    def complete(self) -> bool:
        """Whether every group of joints has more than one sample."""
        return bool(self._groups) and all(len(g.times) >= 2 for g in self._groups.values())

    @property
    def selected(self) -> bool:
        """Whether any of the selected joints is received."""
        return bool(self._columns)

    @property
    def known_until(self) -> int:
        """The time up to which the motion of all selected joints is certain: one sample behind."""
        return min(group.times[-2] for group, _, _ in self._columns)

    @property
    def newest(self) -> int:
        """The time of the newest sample of any selected joint."""
        return max(group.times[-1] for group, _, _ in self._columns)

    def bound(self, time_ns: int) -> int:
        """Return the time of the newest sample towards which any selected joint moves at a time."""
        bounds = []
        for group, _, _ in self._columns:
            index = min(group.index_after(time_ns), len(group.times) - 1)
            bounds.append(group.times[index])
        return max(bounds)

    def interval_ns(self) -> int:
        """Return the median interval between samples of the slowest group [ns]."""
        groups = [group for group, _, _ in self._columns] or list(self._groups.values())
        return int(
            max((group.interval_ns() for group in groups if len(group.times) > 1), default=0)
        )

    def cut(self, begin_ns: int, end_ns: int, bridge_ns: int) -> None:
        """Delete the motion between two times and shift later samples to `bridge_ns` after the first."""
        shift = end_ns - begin_ns - bridge_ns
        for group, _, _ in self._columns:
            first, last = group.index_after(begin_ns + 1), group.index_after(end_ns)
            last = max(min(last, len(group.times) - 2), first)
            del group.times[first:last], group.positions[first:last], group.efforts[first:last]
            group.times[first:] = [time - shift for time in group.times[first:]]

    def motion(self, time_ns: int, period_ns: int, rows: int) -> list[JointMotion]:
        """Return the motion at a time and the periods after it; joints without samples are 0."""
        times = time_ns + period_ns * np.arange(rows, dtype=np.int64)
        shape = (rows, self._joints)
        tables: list[Floats] = [np.zeros(shape), np.zeros(shape), np.zeros(shape)]
        tables.append(np.full(shape, np.nan))
        for group, columns, names in self._columns:
            group.drop_first(max(0, group.index_after(time_ns) - KEPT_BEHIND))
            end = group.index_after(int(times[-1])) + AHEAD
            series = Series(
                group.names,
                np.array(group.times[:end], np.int64),
                np.array(group.positions[:end]),
                np.array(group.efforts[:end]),
            )
            for table, values in zip(tables, Interpolator(series, names).at(times), strict=True):
                table[:, columns] = values
        for table in tables:
            table.flags.writeable = False
        return list(map(JointMotion, *tables))
