"""Smooth motion through recorded samples.

Between two samples a joint follows a cubic; the slopes at the samples are those of Fritsch and Butland (1984),
which keep each piece between its two samples: no overshoot, and no motion where none was recorded. Before
the first and after the last sample it rests. The interpolation is local: a time depends on a few samples only,
so that the result does not depend on the other times of a query.

A gap is an interval of more than three median intervals. The motion within it is unknown. If the joint
moved before the gap, it is assumed to have continued, and the cubic bridges the gap. If it rested (slower than
a tenth of the mean speed over the gap), it is assumed to have rested as long as possible, so that it arrives in
time with the speed observed just after the gap; it starts at least one median interval before the next sample.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.steps import median

GAP_INTERVALS = 3
RESTING_SHARE = 0.1

_REACH = 3  # samples on either side of an interval on which its cubic depends


class Rows(NamedTuple):
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

    def at(self, times_ns: Int64s) -> Rows:
        """Return the motion at times (n,) [ns], which must not decrease."""
        count = len(self._times)
        current = np.searchsorted(self._times, times_ns, side="right") - 1
        efforts = self._efforts.take(np.maximum(current, 0), axis=0)
        if count == 1:
            positions = np.repeat(self._positions, len(times_ns), axis=0)
            return Rows(positions, np.zeros_like(positions), np.zeros_like(positions), efforts)
        resting = (times_ns < self._times[0]) | (times_ns > self._times[-1])
        interval = np.clip(current, 0, count - 2)
        low = max(int(interval[0]) - _REACH, 0)
        high = min(int(interval[-1]) + _REACH + 2, count)
        pieces = _pieces(self._times[low:high], self._positions[low:high], self._median_ns)
        asked = np.clip(times_ns, self._times[0], self._times[-1])
        positions, velocities, accelerations = _evaluate(pieces, asked, interval - low)
        if resting.any():
            velocities[resting] = 0.0
            accelerations[resting] = 0.0
        return Rows(positions, velocities, accelerations, efforts)


class _Pieces(NamedTuple):
    """Cubics between n + 1 samples of some joints; times in ns, slopes in units per second.

    `lengths_ns` has one column for all joints, or one for each joint if a gap was shortened.
    """

    ends_ns: Int64s
    lengths_ns: Floats
    positions: Floats
    slopes: Floats


def _pieces(times: Int64s, positions: Floats, median_ns: float) -> _Pieces:
    """Return the cubics of a window; those of its outer `_REACH` samples are not valid."""
    steps = np.diff(times).astype(np.float64)
    changes = np.diff(positions, axis=0)
    gaps = np.flatnonzero(steps > GAP_INTERVALS * median_ns)
    lengths = steps[:, None]
    if len(gaps):
        lengths = np.repeat(lengths, positions.shape[1], axis=1)
    rested = [_shorten_after_rest(int(gap), lengths, steps, changes, median_ns) for gap in gaps]
    seconds = lengths / 1e9
    slopes = np.zeros_like(positions)
    slopes[1:-1] = _inner_slopes(seconds, changes / seconds)
    for gap, joints in zip(gaps, rested, strict=True):
        slopes[gap, joints] = 0.0
    return _Pieces(times[1:], lengths, positions, slopes)


def _shorten_after_rest(
    gap: int, lengths: Floats, steps: Floats, changes: Floats, median_ns: float
) -> NDArray[np.bool_]:
    """Shorten a gap's `lengths` to the part in which a joint moves; returns (joints,) which were at rest."""
    still = np.zeros(changes.shape[1])
    mean = changes[gap] / steps[gap]
    before = changes[gap - 1] / steps[gap - 1] if gap > 0 else still
    after = changes[gap + 1] / steps[gap + 1] if gap + 1 < len(steps) else still
    rested: NDArray[np.bool_] = (mean != 0.0) & (np.abs(before) <= RESTING_SHARE * np.abs(mean))
    same_way = after * mean > 0.0
    needed = np.where(same_way, changes[gap] / np.where(same_way, after, 1.0), median_ns)
    lengths[gap] = np.where(rested, np.clip(needed, median_ns, steps[gap]), steps[gap])
    return rested


def _inner_slopes(seconds: Floats, rates: Floats) -> Floats:
    """Return weighted harmonic means of the rates on both sides, 0 where they differ in sign."""
    left, right = rates[:-1], rates[1:]
    left_weight = 2.0 * seconds[1:] + seconds[:-1]
    right_weight = seconds[1:] + 2.0 * seconds[:-1]
    product = left * right
    same_way = product > 0.0
    below = np.where(same_way, left_weight * right + right_weight * left, 1.0)
    return np.where(same_way, (left_weight + right_weight) * product / below, 0.0)


def _evaluate(pieces: _Pieces, times: Int64s, interval: Int64s) -> tuple[Floats, Floats, Floats]:
    """Return positions, velocities and accelerations at the times, each in its interval."""
    lengths = pieces.lengths_ns.take(interval, axis=0)
    start = pieces.positions.take(interval, axis=0)
    end = pieces.positions.take(interval + 1, axis=0)
    left = pieces.slopes.take(interval, axis=0)
    right = pieces.slopes.take(interval + 1, axis=0)
    passed = lengths - (pieces.ends_ns.take(interval) - times).astype(np.float64)[:, None]
    s = np.maximum(passed, 0.0) / lengths
    r = 1.0 - s
    seconds = lengths / 1e9
    change = end - start
    bend = left * (s * r * r * seconds) - right * (s * s * r * seconds)
    positions = start + change * (s * s * (3.0 - 2.0 * s)) + bend
    # Rounding errors must not move the curve beyond its samples, nor off the one at its end.
    positions = np.minimum(np.maximum(positions, np.minimum(start, end)), np.maximum(start, end))
    positions = np.where(s == 1.0, end, positions)
    velocities = change * (6.0 * s * r / seconds)
    velocities += left * (r * (1.0 - 3.0 * s)) + right * (s * (3.0 * s - 2.0))
    accelerations = change * (6.0 * (1.0 - 2.0 * s) / (seconds * seconds))
    accelerations += left * ((6.0 * s - 4.0) / seconds) + right * ((6.0 * s - 2.0) / seconds)
    if (passed < 0.0).any():
        accelerations = np.where(passed < 0.0, 0.0, accelerations)
    return positions, velocities, accelerations
