"""Stores a live robot's motion as it arrives, in the order of the robot's stamps, and interpolates it.

The twin follows the robot with a delay of one sample: the motion between two samples depends on the sample after
them, as in a replay. A recording that is published live therefore gives exactly the same motion as its replay.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from operator import sub
from statistics import median
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.base.path import PoseNumbers, PosePath
from model_nodes.main_physics.sources.base.recorded_poses import (
    SHIFT_LIMITS,
    TURN_LIMITS,
    first_jump,
)
from model_nodes.main_physics.sources.joint_messages import JointSample
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.part import JointMotion
from model_nodes.main_physics.sources.playback import (
    GAP_INTERVALS,
    Interpolator,
    at_own_times,
    motions,
)
from model_nodes.main_physics.world.description import Pose

AHEAD = 4
"""Number of later samples on which the motion at a time may depend."""
_RECENT = 40
"""Number of recent samples from which the usual interval is computed."""

Row = TypeVar("Row")


class BadMessage(Exception):
    """A message cannot be used; the text is the reason."""


class SampleStream(Generic[Row]):
    """The samples of a stream; times are the robot's stamps [ns].

    Attributes:
        times: times of the samples [ns].
        rows: values of the samples.
    """

    def __init__(self) -> None:
        self.times: list[int] = []
        self.rows: list[Row] = []

    def add(self, time_ns: int, row: Row) -> int | None:
        """Add a sample; returns the time since the last one [ns], or None for the first.

        Raises:
            BadMessage: if it is not newer than the last one.
        """
        since = self.since(time_ns)
        self.times.append(time_ns)
        self.rows.append(row)
        return since

    def since(self, time_ns: int) -> int | None:
        """Return the time since the last sample [ns], or None if there is none.

        Raises:
            BadMessage: if `time_ns` is not later than the last sample.
        """
        since = time_ns - self.times[-1] if self.times else None
        if since is not None and since <= 0:
            raise BadMessage(f"its stamp is {-since / 1e9:.3f} s older than the one before")
        return since

    @property
    def has_motion(self) -> bool:
        """Whether there are at least two samples, so that some motion is known."""
        return len(self.times) > 1

    @property
    def certain_until_ns(self) -> int:
        """The time up to which the motion is certain: that of the last sample but one."""
        return self.times[-2]

    @property
    def newest_ns(self) -> int:
        """The time of the newest sample."""
        return self.times[-1]

    def index_after(self, time_ns: int) -> int:
        """Return the index of the first sample at or after a time."""
        return bisect_left(self.times, time_ns)

    def first_at(self, time_ns: int) -> int:
        """Return the time of the first sample at or after a time, or of the newest one."""
        return self.times[min(self.index_after(time_ns), len(self.times) - 1)]

    def interval_ns(self) -> int:
        """Return the median interval between recent samples [ns]; 0 if there is none."""
        intervals = [after - before for before, after in pairwise(self.times[-_RECENT:])]
        return int(median(intervals)) if intervals else 0

    def drop_before(self, time_ns: int, kept: int) -> None:
        """Drop the samples before a time, except for the last `kept` of them."""
        count = max(0, self.index_after(time_ns) - kept)
        del self.times[:count], self.rows[:count]

    def remove_interval(self, begin_ns: int, end_ns: int, bridge_ns: int) -> None:
        """Delete the motion between two times, and shift later samples to `bridge_ns` after the first time."""
        shift = end_ns - begin_ns - bridge_ns
        first, last = self.index_after(begin_ns + 1), self.index_after(end_ns)
        last = max(min(last, len(self.times) - 2), first)
        del self.times[first:last], self.rows[first:last]
        self.times[first:] = [time - shift for time in self.times[first:]]


class Streams:
    """Several streams of samples, treated as one; each must have at least two samples."""

    def __init__(self, streams: Sequence[SampleStream[Any]]) -> None:
        self._streams = streams

    @property
    def certain_until_ns(self) -> int:
        """The time up to which all motion is certain."""
        return min(stream.certain_until_ns for stream in self._streams)

    @property
    def newest_ns(self) -> int:
        """The time of the newest sample."""
        return max(stream.newest_ns for stream in self._streams)

    def bounds(self, time_ns: int) -> tuple[int, int]:
        """Return the times of the oldest and the newest among the streams' first samples at or after a time."""
        bounds = [stream.first_at(time_ns) for stream in self._streams]
        return min(bounds), max(bounds)

    def interval_ns(self) -> int:
        """Return the median interval between samples of the slowest stream [ns]."""
        return max((stream.interval_ns() for stream in self._streams), default=0)

    def remove_interval(self, begin_ns: int, end_ns: int, bridge_ns: int) -> None:
        """Delete the motion between two times, and shift later samples to `bridge_ns` after the first time."""
        for stream in self._streams:
            stream.remove_interval(begin_ns, end_ns, bridge_ns)


KEPT_SAMPLES = 40
"""Number of past samples that are kept, for the slopes and the median interval."""
MAX_ROWS = 50
_NAN = np.array(np.nan).tobytes()
BATCH_NS = 10_000_000
"""Period of the run whose arrivals are processed together, since states are not read more often [ns]."""


class _Group(SampleStream[Floats]):
    """Samples of joints that occur in the same messages; a row has (2, joints) positions and efforts."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self.names = names

    def until(self, end: int) -> Series:
        """Return the samples before an index."""
        rows = np.array(self.rows[:end])
        return Series(self.names, np.array(self.times[:end], np.int64), rows[:, 0], rows[:, 1])

    def has_gap(self, begin: int, end: int) -> bool:
        """Whether an interval between the samples of a range is a gap for an `Interpolator` of those until its end."""
        steps = sorted(map(sub, self.times[1:end], self.times))
        usual_ns = (steps[(len(steps) - 1) // 2] + steps[len(steps) // 2]) / 2
        if steps[-1] <= GAP_INTERVALS * usual_ns:
            return False
        times = self.times[begin:end]
        return bool(max(map(sub, times[1:], times)) > GAP_INTERVALS * usual_ns)


class JointSamples:
    """All received joint samples; times are the robot's stamps [ns].

    Args:
        renamed: name of a joint in the messages -> the robot's name, where they differ.

    Attributes:
        streams: the streams of the selected joints.
    """

    def __init__(self, renamed: dict[str, str]) -> None:
        self._renamed = renamed
        self._groups: dict[frozenset[str], _Group] = {}
        self._orders: dict[tuple[str, ...], tuple[_Group, NDArray[np.intp] | None]] = {}
        self.streams: list[_Group] = []
        self._selection = np.zeros((3, 0), np.intp)
        self._joints: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All received joints, by the robot's names, sorted."""
        return tuple(sorted({name for group in self._groups.values() for name in group.names}))

    def add(self, sample: JointSample, time_ns: int) -> int | None:
        """Add a message; returns the time since the last one with the same joints [ns], or None for the first.

        Raises:
            BadMessage: if it is malformed or not newer than the last one.
        """
        size = 8 * len(sample.names)
        if len(sample.positions) != size:
            raise BadMessage(f"{len(sample.names)} names, {len(sample.positions) // 8} positions")
        if size == 0:
            raise BadMessage("it contains no joint")
        efforts = sample.efforts if len(sample.efforts) == size else _NAN * len(sample.names)
        row = np.frombuffer(sample.positions + efforts).reshape(2, -1)
        if not np.isfinite(row[0]).all():
            raise BadMessage("a position is not a number")
        if sample.names not in self._orders:
            self._orders[sample.names] = self._order(sample.names)
        group, order = self._orders[sample.names]
        return group.add(time_ns, row if order is None else row[:, order])

    def _order(self, names: tuple[str, ...]) -> tuple[_Group, NDArray[np.intp] | None]:
        """Return the group of a message's joints, and the indices in the message of the group's joints.

        The indices are None if the order is the same.
        """
        robot_names = tuple(self._renamed.get(name, name) for name in names)
        if len(set(robot_names)) != len(robot_names):
            raise BadMessage("it contains a joint twice")
        key = frozenset(robot_names)
        group = self._groups.setdefault(key, _Group(robot_names))
        if robot_names == group.names:
            return group, None
        return group, np.array([robot_names.index(name) for name in group.names], np.intp)

    def bind(self, joints: Sequence[str]) -> NDArray[np.bool_]:
        """Select joints and their order; returns (joints,) which of them are received.

        For a joint with several publishers the first one is used.
        """
        self._joints, self.streams, used, start = tuple(joints), [], [], 0
        is_received = np.zeros(len(joints), np.bool_)
        for group in self._groups.values():
            columns = [i for i, j in enumerate(joints) if j in group.names and not is_received[i]]
            if columns:
                is_received[columns] = True
                number, names = len(self.streams), group.names
                used += [(start + names.index(joints[i]), number, i) for i in columns]
                self.streams.append(group)
                start += len(names)
        self._selection = np.array(used, np.intp).reshape(-1, 3).T
        return is_received

    @property
    def has_motion(self) -> bool:
        """Whether every group of joints has more than one sample."""
        return bool(self._groups) and all(group.has_motion for group in self._groups.values())

    @property
    def selected(self) -> bool:
        """Whether any of the selected joints is received."""
        return bool(self.streams)

    @property
    def all_streams(self) -> list[_Group]:
        """The streams of all received joints."""
        return [*self._groups.values()]

    def motion(self, time_ns: int, period_ns: int, rows: int) -> list[JointMotion]:
        """Return the motion at a time and at the periods after it; joints without samples are 0."""
        times = time_ns + period_ns * np.arange(rows, dtype=np.int64)
        last_ns = time_ns + period_ns * (rows - 1)
        for group in self.streams:
            group.drop_before(time_ns, KEPT_SAMPLES)
        if ranges := self._common_ranges(time_ns, last_ns):
            return self._motion_without_gaps(times, ranges)
        _, streams, columns = self._selection
        parts = []
        for number, group in enumerate(self.streams):
            own = columns[streams == number].tolist()
            series = group.until(group.index_after(last_ns) + AHEAD)
            parts.append((own, Interpolator(series, [self._joints[i] for i in own])))
        return motions(times, len(self._joints), parts)

    def _common_ranges(self, begin_ns: int, end_ns: int) -> list[slice] | None:
        """The samples of each stream, equally many, on which the motion from one time to another depends.

        None if a stream has too few samples, or a gap.
        """
        ends, count = list[int](), 0
        for group in self.streams:
            first, last = group.index_after(begin_ns) - AHEAD, group.index_after(end_ns)
            end = min(last + AHEAD, len(group.times))
            if last == len(group.times):
                return None
            ends.append(end)
            count = max(count, end - first)
        for group, end in zip(self.streams, ends, strict=True):
            if end < count or group.has_gap(end - count, end):
                return None
        return [slice(end - count, end) for end in ends]

    def _motion_without_gaps(
        self, times: NDArray[np.int64], ranges: Sequence[slice]
    ) -> list[JointMotion]:
        chosen, streams, columns = self._selection
        samples = list(zip(self.streams, ranges, strict=True))
        samples_ns = np.array([group.times[part] for group, part in samples], np.int64).T
        # faster than an array of the rows of each group
        columns_of = [np.concatenate(group.rows[part], axis=0) for group, part in samples]
        table = np.concatenate(columns_of, axis=1)[:, chosen]
        positions, efforts = table[::2], table[1::2]
        current = (samples_ns <= times[:, None, None]).sum(axis=1)[:, streams] - 1
        interval = np.minimum(current, len(samples_ns) - 2)
        found = np.zeros((4, len(times), len(self._joints)))
        found[:3, :, columns] = at_own_times(samples_ns[:, streams], positions, times, interval)
        found[3] = np.nan
        found[3][:, columns] = efforts[current, np.arange(len(columns))]
        found.flags.writeable = False
        return list(map(JointMotion, *found))


KEPT_POSES = 300
"""Number of past samples that are kept; poses of a localization arrive late and refer to them."""
_PATH_SAMPLES = 40
"""Number of samples before a time on which the path there depends."""
_STEP_SAMPLES = 8
"""Number of samples with which the newest step is compared."""


class OdometryJump(Exception):
    """Odometry jumps as no base can; the text has the size of the jump."""


class BaseSamples(SampleStream[Floats]):
    """The received poses of the root link in the odometry frame; times are the robot's stamps [ns]."""

    def __init__(self) -> None:
        super().__init__()
        self._converter: PoseNumbers | None = None

    def add_pose(self, time_ns: int, pose: Pose) -> int | None:
        """Add a pose; returns the time since the last one [ns], or None for the first.

        Raises:
            BadMessage: if it is not newer than the last one.
            OdometryJump: if no base can move there from the last pose; the pose is added nevertheless.
        """
        self.since(time_ns)
        row = np.array([pose])
        if self._converter is None:
            self._converter = PoseNumbers(row[0])
        since = self.add(time_ns, self._converter.numbers(row)[0])
        self._check_step()
        return since

    def clear(self) -> None:
        """Drop all poses but the newest."""
        del self.times[:-1], self.rows[:-1]

    def path(self, from_ns: int, until_ns: int) -> PosePath:
        """Return the path between two times."""
        first = max(0, self.index_after(from_ns) - _PATH_SAMPLES)
        end = self.index_after(until_ns) + AHEAD
        assert self._converter is not None, "no pose has been added"
        times = np.array(self.times[first:end], np.int64)
        return PosePath(times, np.array(self.rows[first:end]), self._converter)

    def _check_step(self) -> None:
        if len(self.times) < 2:
            return
        step = np.abs(self.rows[-1] - self.rows[-2])
        if step[:3].max() < SHIFT_LIMITS.step / 2.0 and step[3:].max() < TURN_LIMITS.step / 2.0:
            return
        times = np.array(self.times[-_STEP_SAMPLES:], np.int64)
        numbers = np.array(self.rows[-_STEP_SAMPLES:])
        jump = first_jump(times, numbers)
        if jump is not None and jump == len(times) - 2:
            shift, angle = np.linalg.norm(step[:3]), np.linalg.norm(step[3:])
            seconds = (times[-1] - times[-2]) / 1e9
            raise OdometryJump(f"by {shift:.3f} m and {angle:.3f} rad within {seconds:.3f} s")
