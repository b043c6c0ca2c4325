"""Joint samples as they arrive, and the motion through them.

The twin follows the robot with a delay of one sample: the motion between two samples depends on the sample after
them, as in a replay. A recording that is published live therefore gives exactly the same motion as its replay.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.joint_messages import JointSample
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.live.arrivals import AHEAD, Arrivals, Unusable
from model_nodes.main_physics.sources.part import JointMotion
from model_nodes.main_physics.sources.playback import Interpolator, motions

KEPT_BEHIND = 40
"""Past samples that are kept, for the slopes and the median interval."""
MAX_ROWS = 50


class _Group(Arrivals[tuple[Floats, Floats]]):
    """Samples of the joints of the same messages: positions and efforts."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self.names = names
        self.orders: dict[tuple[str, ...], NDArray[np.intp]] = {}

    def until(self, end: int) -> Series:
        """Return the samples before the one of an index."""
        positions, efforts = zip(*self.rows[:end], strict=True)
        times = np.array(self.times[:end], np.int64)
        return Series(self.names, times, np.array(positions), np.array(efforts))


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
        return group.add(time_ns, (positions[order], efforts[order]))

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
        return bool(self._groups) and all(group.complete for group in self._groups.values())

    @property
    def selected(self) -> bool:
        """Whether any of the selected joints is received."""
        return bool(self._columns)

    @property
    def all_streams(self) -> list[Arrivals[tuple[Floats, Floats]]]:
        """Those of all joints."""
        return [*self._groups.values()]

    @property
    def streams(self) -> list[Arrivals[tuple[Floats, Floats]]]:
        """Those of the selected joints."""
        return [group for group, _, _ in self._columns]

    def motion(self, time_ns: int, period_ns: int, rows: int) -> list[JointMotion]:
        """Return the motion at a time and the periods after it; joints without samples are 0."""
        times = time_ns + period_ns * np.arange(rows, dtype=np.int64)
        parts = []
        for group, columns, names in self._columns:
            group.drop_before(time_ns, KEPT_BEHIND)
            end = group.index_after(int(times[-1])) + AHEAD
            parts.append((columns, Interpolator(group.until(end), names)))
        return motions(times, self._joints, parts)
