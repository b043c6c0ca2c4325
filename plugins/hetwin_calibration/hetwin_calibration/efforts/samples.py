"""The comparison basis of efforts: a recording's motion at even times, and efforts that could act on its joints then.

All that is compared is averaged over the same spans, so that linear parameters stay linear, and noise that
differs from sample to sample goes on doing so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.model import Floats

PERIOD_S = 0.04
"""Between samples [s]."""
HALF_WINDOW_S = 0.1
"""A curve of the fifth degree is fitted to the positions that lie at most so far before and after a time [s]."""
_ORDER = 6
_LEAST_S = 1.0
CREEP = 0.01
"""Below this speed, dry friction is in proportion to the speed: a resting joint may bear any part of it [per s]."""
STRIBECK = 0.1
"""At this speed, the excess of dry friction over its value in motion is a third of that at rest [per s]."""
MOST = 1000
"""Longer recordings give this many samples, from spans that lie evenly in them."""
SPAN = 125
"""Samples of such a span."""
LOADS = 4
"""A load has a mass [kg] and, in the frame of its link, the products of mass and place [kg m]."""


def middle(values: Floats) -> float:
    """Return the (upper) median of an array, as NumPy's own takes longer to import than to compute."""
    half = values.size // 2
    return float(np.partition(values, half, axis=None)[half])


class Dynamics(Protocol):
    """Computes the efforts of rigid bodies; n joints."""

    def rigid(self, positions: Floats, velocities: Floats, accelerations: Floats) -> Floats:
        """Return (n,) efforts without any friction [Nm or N]; NaN where nothing is known."""

    def loads(self, positions: Floats, velocities: Floats, accelerations: Floats) -> Floats:
        """Return (n, 4) efforts for each unit of a load that the last link carries."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Averages over spans; m of them, n joints.

    Attributes:
        times: (m,) middles of the spans [s].
        measured: (m, n) efforts [Nm or N]; NaN where there are none.
        expected: (m, n) those that the rigid bodies need.
        loads: (m, n, 4) efforts for each unit of a load.
        motion: (3, m, n) positions, velocities and accelerations in the middles.
        period: length of a span [s].
        spans: (m, each) which times of `speeds` each of them is the mean of.
        speeds: of the joints at all times.
    """

    times: Floats
    measured: Floats
    expected: Floats
    loads: Floats
    motion: Floats
    period: float
    spans: NDArray[np.intp]
    speeds: Speeds

    def where(self, kept: NDArray[np.bool_]) -> Samples:
        """The samples of some times."""
        return Samples(
            self.times[kept],
            self.measured[kept],
            self.expected[kept],
            self.loads[kept],
            self.motion[:, kept],
            self.period,
            self.spans[kept],
            self.speeds,
        )

    def within(self, count: int = 1) -> NDArray[np.bool_]:
        """(m,) whether so many samples before and after each follow without a gap."""
        begins = np.diff(self.times, prepend=-math.inf) > 1.5 * self.period
        ends = np.append(begins[1:], True)
        found: NDArray[np.bool_] = (_since(begins) >= count) & (_since(ends[::-1])[::-1] >= count)
        return found

    def at(self, lags: Floats) -> Moved:
        """The efforts on the joints a time before [s], another one for each joint (n,)."""
        times, velocities = self.speeds
        late = np.stack(
            [np.interp(times - lag, times, v) for lag, v in zip(lags, velocities.T, strict=True)],
            axis=1,
        )
        dry = np.clip(late / CREEP, -1.0, 1.0)
        stribeck = dry * np.exp(-((late / STRIBECK) ** 2))
        rubs, speeds, more = (one[self.spans].mean(axis=1) for one in (dry, late, stribeck))
        expected, loads = self.earlier(self.expected, lags), self.earlier(self.loads, lags)
        return Moved(rubs, speeds, more, expected, loads)

    def earlier(self, values: Floats, lags: Floats) -> Floats:
        """Values (m, n, ...) of the joints a time before [s], another one for each joint (n,)."""
        return _earlier(self, values, lags)


def _since(begins: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(m,) how many samples ago the last one was that begins something."""
    at = np.arange(len(begins))
    found: NDArray[np.intp] = at - np.maximum.accumulate(np.where(begins, at, 0))
    return found


class Moved(NamedTuple):
    """Efforts on the joints: (m, n) each, and (m, n, 4).

    Attributes:
        dry: part of the dry friction, from -1 to 1.
        velocities: [rad/s or m/s].
        stribeck: share of the excess dry friction at rest.
        expected: efforts of the bodies [Nm or N].
        loads: efforts for each unit of a load.
    """

    dry: Floats
    velocities: Floats
    stribeck: Floats
    expected: Floats
    loads: Floats


class Speeds(NamedTuple):
    """All that a recording has: k times at even distances [s], and velocities (k, n)."""

    times: Floats
    velocities: Floats


def sampled(times: Floats, positions: Floats, efforts: Floats, dynamics: Dynamics) -> Samples:
    """Return the samples of a recording.

    Args:
        times: (k,) of its samples, rising [s].
        positions: (k, n) of the joints [rad or m].
        efforts: (k, n) measured [Nm or N]; NaN or always 0 where there are none.
        dynamics: of the same joints.

    Raises:
        ValueError: if it lasts less than a second.
    """
    step = max(middle(np.diff(times)), 1e-3)
    even = np.arange(times[0], times[-1] + 1e-9, step)
    half = max(3, round(HALF_WINDOW_S / step))
    if times[-1] - times[0] < _LEAST_S or len(even) < 4 * half:
        raise ValueError(
            f"found {times[-1] - times[0]:.2f} s with efforts; expected at least {_LEAST_S:g} s"
        )
    at = np.stack([np.interp(even, times, one) for one in positions.T], axis=1)
    measured = np.stack([np.interp(even, times, one) for one in efforts.T], axis=1)
    measured[:, (efforts == 0.0).all(axis=0)] = np.nan
    q, v, a = _smoothed(at, step, half)
    even, measured = even[half : half + len(q)], measured[half : half + len(q)]
    each = 2 * round(0.5 * (PERIOD_S / step - 1.0)) + 1 if step < PERIOD_S else 1
    count = len(q) // each
    spans = each * chosen_spans(count)[:, None] + np.arange(each)
    middles = spans[:, each // 2]
    rows = list(zip(q[middles], v[middles], a[middles], strict=True))
    found = Samples(
        even[middles],
        measured[spans].mean(axis=1),
        np.array([dynamics.rigid(*row) for row in rows]),
        np.array([dynamics.loads(*row) for row in rows]),
        np.stack([q[middles], v[middles], a[middles]]),
        each * step,
        spans,
        Speeds(even, v),
    )
    return replace(
        found, expected=_averaged(found, found.expected), loads=_averaged(found, found.loads)
    )


def _averaged(samples: Samples, values: Floats) -> Floats:
    """Means over spans of values that are known in their middles."""
    bent = np.zeros_like(values)
    bent[1:-1] = values[2:] - 2.0 * values[1:-1] + values[:-2]
    bent[~samples.within()] = 0.0
    found: Floats = values + bent / 24.0
    return found


def _earlier(samples: Samples, values: Floats, lags: Floats) -> Floats:
    """Values (m, n, ...) a time before, by the cubic through four of them; by a line beside gaps."""
    found = values.copy()
    for joint in np.flatnonzero(lags).tolist():
        lag, own = lags[joint], values[:, joint].reshape(len(values), -1)
        at = samples.times - lag
        moved = np.stack([np.interp(at, samples.times, column) for column in own.T], axis=1)
        whole, part = divmod(lag / samples.period, 1.0)
        smooth = sum(
            weight * np.roll(own, int(whole) + k, axis=0)
            for k, weight in zip((-1, 0, 1, 2), _cubic(part), strict=True)
        )
        inside = samples.within(2 + abs(int(whole)))
        moved[inside] = np.asarray(smooth)[inside]
        found[:, joint] = moved.reshape(values[:, joint].shape)
    return found


def _cubic(part: float) -> tuple[float, float, float, float]:
    """Weights of values 1 after, at, 1 and 2 before a time, for a part of 1 before it (Lagrange)."""
    p = part
    return (
        -p * (p - 1.0) * (p - 2.0) / 6.0,
        (p + 1.0) * (p - 1.0) * (p - 2.0) / 2.0,
        -(p + 1.0) * p * (p - 2.0) / 2.0,
        (p + 1.0) * p * (p - 1.0) / 6.0,
    )


def _smoothed(positions: Floats, step: float, half: int) -> tuple[Floats, Floats, Floats]:
    """Positions, velocities and accelerations at all times but those near the ends (Savitzky and Golay 1964)."""
    fit = np.linalg.pinv(np.vander(np.arange(-half, half + 1) * step, _ORDER, increasing=True))
    rows = fit[0], fit[1], 2.0 * fit[2]
    at, speed, change = (
        np.stack([np.convolve(one, row[::-1], mode="valid") for one in positions.T], axis=1)
        for row in rows
    )
    return at, speed, change


def chosen_spans(count: int, most: int = MOST, span: int = SPAN) -> NDArray[np.intp]:
    """Return which samples of a recording are looked at: all, or at most `most` in spans that lie evenly in it."""
    if count <= most:
        return np.arange(count)
    begins = np.linspace(0, count - span, most // span).astype(np.intp)
    chosen = np.zeros(count, np.bool_)
    chosen[(begins[:, None] + np.arange(span)).ravel()] = True
    return np.flatnonzero(chosen)
