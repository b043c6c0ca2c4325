"""The motion of recorded joints at any time: smooth through their samples, precomputed in blocks.

Between two samples a joint follows a cubic with slopes according to Fritsch and Butland (1984), which keep each piece
between its two samples: no overshoot, and no motion where none was recorded. Before the first and after the last
sample it rests. The interpolation is local: the motion at a time depends only on a few samples, and not on the other
times of a query.

A gap is an interval of more than three median intervals. The motion within it is unknown. If the joint
moved before the gap, it is assumed to have continued, and the cubic bridges the gap. If it rested (slower than
a tenth of the mean speed over the gap), it is assumed to stay at rest until it must start in order to arrive at the
next sample on time, with the speed observed just after the gap; at the latest one median interval before that sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.saving.plain import Plain, numbers_of
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_facts import median
from model_nodes.main_physics.sources.joint_series import KEPT_RECORDINGS, Series, are_kept
from model_nodes.main_physics.sources.part import JointMotion

GAP_INTERVALS = 3
RESTING_SHARE = 0.1

_SUPPORT = 3  # number of samples on either side of an interval on which its cubic depends
_AHEAD_NS, _FAR_AHEAD_NS = 250_000_000, 1_000_000_000
_MAX_ROWS = 1000
_KEPT_BLOCKS = 16

Row = TypeVar("Row")
Evaluate: TypeAlias = Callable[[int, int, int], Sequence[Row]]
"""Takes a time [ns], a maximum number of rows and the time of the previous call [ns]; returns the motion at that time
and at the periods after it."""


class BlockCache(Generic[Row]):
    """Evaluates motion ahead in blocks with one row per period; a new block starts where the last one ends.

    Args:
        evaluate: evaluates a block.
        period_ns: usual period between calls of `at` [ns].
        ahead_ns: duration of a block [ns].
    """

    def __init__(self, evaluate: Evaluate[Row], period_ns: int, ahead_ns: int = _AHEAD_NS) -> None:
        self._evaluate, self._period = evaluate, period_ns
        self._rows = max(1, min(_MAX_ROWS, ahead_ns // period_ns))
        self._block: Sequence[Row] = ()
        self._start = 0
        self._last = self._before = -period_ns

    def at(self, time_ns: int) -> Row:
        """Return the row for a time."""
        row, remainder = divmod(time_ns - self._start, self._period)
        if remainder or not 0 <= row < len(self._block):
            # Evaluating ahead only pays off if the caller continues in steps of the period.
            periods, remainder = divmod(time_ns - self._last, self._period)
            rows = self._rows if not remainder and 0 < periods < self._rows else 1
            self._block = self._evaluate(time_ns, rows, self._last)
            self._start, self._before, row = time_ns, self._last, 0
        self._last = time_ns
        return self._block[row]

    def at_each(self, times_ns: Sequence[int]) -> Sequence[Row]:
        """Return the rows for some times."""
        row, remainder = divmod(times_ns[0] - self._start, self._period)
        after = row + len(times_ns)
        in_periods = times_ns[-1] - times_ns[0] == (len(times_ns) - 1) * self._period
        if remainder or row < 0 or after > len(self._block) or not in_periods:
            return [self.at(time_ns) for time_ns in times_ns]
        self._last = times_ns[-1]
        return self._block[row:after]

    @property
    def empty(self) -> bool:
        """Whether nothing has been evaluated since the start or since `clear`."""
        return not self._block

    def clear(self) -> None:
        """Discard the block, so that the next row is evaluated again."""
        self._block = ()

    def save(self) -> Plain:
        """Return which block was evaluated, so that `restore` evaluates the same block."""
        start, last, before = self._start, self._last, self._before
        return {"start_ns": start, "last_ns": last, "before_ns": before, "rows": len(self._block)}

    def restore(self, saved: Plain) -> None:
        """Evaluate the same block.

        Raises:
            StateError: if the state is of another kind.
        """
        keys = ("start_ns", "last_ns", "before_ns", "rows")
        self._start, self._last, self._before, rows = numbers_of(saved, *keys)
        self._block = self._evaluate(self._start, rows, self._before) if rows else ()


class Playback(BlockCache[JointMotion]):
    """The motion of the robot's joints in the given order, as read-only arrays; joints that were not recorded are 0.

    Args:
        series: the recorded samples.
        joints: names of the robot's joints.
        period_ns: usual period between calls of `at` [ns].

    Attributes:
        driven: (joints,) which of them were recorded.
    """

    def __init__(self, series: Sequence[Series], joints: Sequence[str], period_ns: int) -> None:
        super().__init__(self._evaluate_block, period_ns, _FAR_AHEAD_NS)
        self.driven: NDArray[np.bool_] = np.zeros(len(joints), np.bool_)
        small = are_kept(series)
        self._block_of = _block if small else _block.__wrapped__
        motion_of = _motion if small else _motion.__wrapped__
        self._motion = motion_of(tuple(series), tuple(joints))
        for columns, _ in self._motion.parts:
            self.driven[columns] = True

    def _evaluate_block(self, start_ns: int, rows: int, before_ns: int) -> Sequence[JointMotion]:
        return self._block_of(self._motion, start_ns, rows, self._period)


@dataclass(frozen=True, slots=True, eq=False)
class _Motion:
    """The motion of joints, compared by identity: the columns of joints in each series, and their interpolator."""

    count: int
    parts: list[tuple[list[int], Interpolator]]


@lru_cache(maxsize=_KEPT_BLOCKS)
def _block(motion: _Motion, start_ns: int, rows: int, period_ns: int) -> Sequence[JointMotion]:
    """Return the motion at a time and at the periods after it; kept for further runs of the same recording."""
    times = start_ns + period_ns * np.arange(rows, dtype=np.int64)
    return motions(times, motion.count, motion.parts)


@lru_cache(maxsize=KEPT_RECORDINGS)
def _motion(series: tuple[Series, ...], joints: tuple[str, ...]) -> _Motion:
    columns = [[i for i, name in enumerate(joints) if name in part.names] for part in series]
    found = zip(columns, series, strict=True)
    parts = [(some, Interpolator(part, [joints[i] for i in some])) for some, part in found if some]
    return _Motion(len(joints), parts)


def motions(
    times: NDArray[np.int64], count: int, parts: Sequence[tuple[list[int], Interpolator]]
) -> list[JointMotion]:
    """Return the motion of all joints at some times, as read-only arrays; joints without a source are 0.

    Args:
        times: (n,) [ns].
        count: number of joints.
        parts: columns of joints, and the interpolator for them.
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


class Motions(NamedTuple):
    """Motion at some times, each (times, joints); see `JointMotion`."""

    positions: Floats
    velocities: Floats
    accelerations: Floats
    efforts: Floats


class Interpolator:
    """Evaluates selected joints of a series at any time."""

    def __init__(self, series: Series, names: list[str]) -> None:
        columns = [series.names.index(name) for name in names]
        self._times = series.times_ns
        self._positions = np.ascontiguousarray(series.positions[:, columns])
        self._efforts = np.ascontiguousarray(series.efforts[:, columns])
        steps = np.diff(self._times)
        self._median_ns = float(median(steps)) if len(steps) else 0.0

    def at(self, times_ns: Int64s) -> Motions:
        """Return the motion at times (n,) [ns], which must not decrease."""
        count = len(self._times)
        current = np.searchsorted(self._times, times_ns, side="right") - 1
        efforts = self._efforts.take(np.maximum(current, 0), axis=0)
        if count == 1:
            positions = np.repeat(self._positions, len(times_ns), axis=0)
            return Motions(positions, np.zeros_like(positions), np.zeros_like(positions), efforts)
        resting = (times_ns < self._times[0]) | (times_ns > self._times[-1])
        interval = np.clip(current, 0, count - 2)
        low = max(int(interval[0]) - _SUPPORT, 0)
        high = min(int(interval[-1]) + _SUPPORT + 2, count)
        pieces = _pieces(self._times[low:high, None], self._positions[low:high], self._median_ns)
        clipped = np.clip(times_ns, self._times[0], self._times[-1])
        positions, velocities, accelerations = _evaluate(pieces, clipped, interval[:, None] - low)
        if resting.any():
            velocities[resting] = 0.0
            accelerations[resting] = 0.0
        return Motions(positions, velocities, accelerations, efforts)


class _Pieces(NamedTuple):
    """Cubics between n + 1 samples of some joints, each (n, joints) or (n + 1, joints); slopes in units per second."""

    ends_ns: Int64s
    lengths_ns: Floats
    positions: Floats
    slopes: Floats


def _pieces(times: Int64s, positions: Floats, median_ns: float) -> _Pieces:
    """Return the cubics of a window; those at its outer `_SUPPORT` samples are not valid.

    Args:
        times: (n + 1, 1) of all joints, or (n + 1, joints) [ns].
        positions: (n + 1, joints) the samples.
        median_ns: the usual interval, from which gaps are recognized in the times of all joints.
    """
    steps = (times[1:] - times[:-1]).astype(np.float64)
    changes = positions[1:] - positions[:-1]
    gaps = np.flatnonzero(steps > GAP_INTERVALS * median_ns)
    lengths = steps + np.zeros(changes.shape)  # faster than np.broadcast_to
    ends = times[1:] + np.zeros(changes.shape, np.int64)
    rested = [_shorten_after_rest(int(gap), lengths, steps, changes, median_ns) for gap in gaps]
    seconds = lengths / 1e9
    slopes = np.zeros_like(positions)
    slopes[1:-1] = _inner_slopes(seconds, changes / seconds)
    for gap, joints in zip(gaps, rested, strict=True):
        slopes[gap, joints] = 0.0
    return _Pieces(ends, lengths, positions, slopes)


def _shorten_after_rest(
    gap: int, lengths: Floats, steps: Floats, changes: Floats, median_ns: float
) -> NDArray[np.bool_]:
    """Shorten a gap's `lengths` to the part in which a joint moves; return (joints,) whether it rested before."""
    zeros = np.zeros(changes.shape[1])
    mean = changes[gap] / steps[gap]
    before = changes[gap - 1] / steps[gap - 1] if gap > 0 else zeros
    after = changes[gap + 1] / steps[gap + 1] if gap + 1 < len(steps) else zeros
    rested: NDArray[np.bool_] = (mean != 0.0) & (np.abs(before) <= RESTING_SHARE * np.abs(mean))
    continues = after * mean > 0.0
    needed = np.where(continues, changes[gap] / np.where(continues, after, 1.0), median_ns)
    lengths[gap] = np.where(rested, np.clip(needed, median_ns, steps[gap]), steps[gap])
    return rested


def _inner_slopes(seconds: Floats, rates: Floats) -> Floats:
    """Return weighted harmonic means of the rates on both sides, 0 where their signs differ."""
    left, right = rates[:-1], rates[1:]
    left_weight = 2.0 * seconds[1:] + seconds[:-1]
    right_weight = seconds[1:] + 2.0 * seconds[:-1]
    product = left * right
    continues = product > 0.0
    denominator = np.where(continues, left_weight * right + right_weight * left, 1.0)
    return np.where(continues, (left_weight + right_weight) * product / denominator, 0.0)


def at_own_times(
    samples_ns: Int64s, positions: Floats, times_ns: Int64s, interval: Int64s
) -> tuple[Floats, Floats, Floats]:
    """Return positions, velocities and accelerations of joints with samples at times of their own, without gaps.

    Equal to `Interpolator.at` to the bit if there are `_SUPPORT` more samples on either side of the intervals.

    Args:
        samples_ns: (n, joints) times of the samples [ns].
        positions: (n, joints) the samples.
        times_ns: (times,) not before the first and not after the last sample [ns].
        interval: (times, joints) index of the sample before each time, at most n - 2.
    """
    return _evaluate(_pieces(samples_ns, positions, np.inf), times_ns, interval)


def _evaluate(pieces: _Pieces, times: Int64s, interval: Int64s) -> tuple[Floats, Floats, Floats]:
    """Return positions, velocities and accelerations at the times, each within its interval, (times, 1 or joints)."""
    begins = interval, np.arange(pieces.positions.shape[1])
    ends = interval + 1, begins[1]
    lengths = pieces.lengths_ns[begins]
    start, end = pieces.positions[begins], pieces.positions[ends]
    left, right = pieces.slopes[begins], pieces.slopes[ends]
    passed = lengths - (pieces.ends_ns[begins] - times[:, None]).astype(np.float64)
    s = np.maximum(passed, 0.0) / lengths
    r = 1.0 - s
    seconds = lengths / 1e9
    change = end - start
    bend = left * (s * r * r * seconds) - right * (s * s * r * seconds)
    positions = start + change * (s * s * (3.0 - 2.0 * s)) + bend
    # Rounding errors must not move the curve beyond its samples, nor away from its end.
    positions = np.minimum(np.maximum(positions, np.minimum(start, end)), np.maximum(start, end))
    positions = np.where(s == 1.0, end, positions)
    velocities = change * (6.0 * s * r / seconds)
    velocities += left * (r * (1.0 - 3.0 * s)) + right * (s * (3.0 * s - 2.0))
    accelerations = change * (6.0 * (1.0 - 2.0 * s) / (seconds * seconds))
    accelerations += left * ((6.0 * s - 4.0) / seconds) + right * ((6.0 * s - 2.0) / seconds)
    if (passed < 0.0).any():
        accelerations = np.where(passed < 0.0, 0.0, accelerations)
    return positions, velocities, accelerations
