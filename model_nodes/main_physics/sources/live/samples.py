"""Joint samples as they come in, and the motion through them.

The twin follows one sample behind the robot: where the joints are between two samples depends on the sample after
them, as it does in a replay, and so a robot that is played live moves in the twin exactly as in the replay.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.interpolation import Interpolator
from model_nodes.main_physics.sources.joint_messages import JointSample
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.source import JointMotion

KEPT_BEHIND = 40
"""Samples before the present that are kept: they tell slopes and the usual interval."""
AHEAD = 4
"""Samples behind the asked time that the motion may depend on."""
MOST_ROWS = 50


class _Group:
    """Samples of joints that come together."""

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
        """Index of the first sample at or after a time."""
        return int(np.searchsorted(self.times, time_ns))


class Unusable(Exception):
    """A message that cannot be used; the text says why."""


class JointSamples:
    """All that is known of the joints; times are the robot's stamps in ns.

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
        """All joints heard of, by the robot's names, sorted."""
        return tuple(sorted({name for group in self._groups.values() for name in group.names}))

    def add(self, sample: JointSample, time_ns: int) -> int | None:
        """Take in a message; answers the time since the last of the same joints, None for the first.

        Raises:
            Unusable: if it is malformed or not newer than the last.
        """
        size = 8 * len(sample.names)
        if len(sample.positions) != size:
            raise Unusable(f"{len(sample.names)} names, {len(sample.positions) // 8} positions")
        if size == 0:
            raise Unusable("it names no joint")
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
            raise Unusable("it names a joint twice")
        key = frozenset(robot_names)
        group = self._groups.setdefault(key, _Group(robot_names))
        if names not in group.orders:
            order = [robot_names.index(name) for name in group.names]
            group.orders[names] = np.array(order, np.intp)
        return group

    def bind(self, joints: Sequence[str]) -> NDArray[np.bool_]:
        """Choose joints and their order; answers which of them are heard of.

        A joint that several publishers tell follows the first of them.
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
        """Whether every group of joints has told more than one sample."""
        return bool(self._groups) and all(len(g.times) >= 2 for g in self._groups.values())

    @property
    def known_until(self) -> int:
        """Up to which time the motion of all chosen joints is certain: one sample behind."""
        return min(group.times[-2] for group, _, _ in self._columns)

    @property
    def newest(self) -> int:
        """Time of the newest sample of any chosen joint."""
        return max(group.times[-1] for group, _, _ in self._columns)

    def bound(self, time_ns: int) -> int:
        """Time of the newest sample that a state at this time moves towards, of any chosen joint."""
        bounds = []
        for group, _, _ in self._columns:
            index = min(group.index_after(time_ns), len(group.times) - 1)
            bounds.append(group.times[index])
        return max(bounds)

    def interval_ns(self) -> int:
        """The usual time between two samples of the slowest group."""
        groups = [group for group, _, _ in self._columns] or list(self._groups.values())
        medians = [np.median(np.diff(g.times[-KEPT_BEHIND:])) for g in groups if len(g.times) > 1]
        return int(max(medians, default=0))

    def cut(self, begin_ns: int, end_ns: int, bridge_ns: int) -> None:
        """Forget the motion between two times and close up what follows, `bridge_ns` after the first."""
        shift = end_ns - begin_ns - bridge_ns
        for group, _, _ in self._columns:
            first, last = group.index_after(begin_ns + 1), group.index_after(end_ns)
            last = max(min(last, len(group.times) - 2), first)
            del group.times[first:last], group.positions[first:last], group.efforts[first:last]
            group.times[first:] = [time - shift for time in group.times[first:]]

    def motion(self, time_ns: int, period_ns: int, rows: int) -> list[JointMotion]:
        """The joints at this time and the periods after it; those that nobody tells read 0."""
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
