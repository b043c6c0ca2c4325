"""Samples of efforts: a recording's motion at equidistant times, and the possible efforts on its joints.

Measured and modelled efforts are averaged over the same spans, so that linear parameters stay linear and white noise
stays white.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.model import Floats

PERIOD_S = 0.04
"""Sampling period [s]."""
HALF_WINDOW_S = 0.1
"""Half the window of the Savitzky-Golay filter of positions, which fits polynomials of degree 5 [s]."""
_ORDER = 6
_LEAST_S = 1.0
CREEP = 0.01
"""Speed below which dry friction is proportional to the speed, as static friction is undetermined [rad/s or m/s]."""
STRIBECK = 0.1
"""Speed at which the excess of static over dynamic friction has fallen to a third (1/e) [rad/s or m/s]."""
MOST = 1000
"""Maximum number of samples of a recording, in evenly spaced spans."""
SPAN = 125
"""Number of consecutive samples of such a span."""
LOADS = 4
"""Number of parameters of a load: its mass [kg] and first moments in the frame of its link [kg m]."""


def middle(values: Floats) -> float:
    """Return the (upper) median of an array, as NumPy's own takes longer to import than to compute."""
    half = values.size // 2
    return float(np.partition(values, half, axis=None)[half])


class Dynamics(Protocol):
    """Computes the efforts of rigid bodies; n joints."""

    def rigid(self, positions: Floats, velocities: Floats, accelerations: Floats) -> Floats:
        """Return efforts (n,) without friction [Nm or N]; NaN: unknown."""

    def loads(self, positions: Floats, velocities: Floats, accelerations: Floats) -> Floats:
        """Return efforts (n, 4) of a unit of each load parameter of the last link."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Averages over m spans of time, for n joints.

    Attributes:
        times: (m,) centres of the spans [s].
        measured: (m, n) measured efforts [Nm or N]; NaN: none.
        expected: (m, n) efforts of rigid-body dynamics.
        loads: (m, n, 4) efforts of a unit of each load parameter.
        motion: (3, m, n) positions, velocities and accelerations at the centres.
        period: duration of a span [s].
        spans: (m, k) indices into `speeds` of the times that each span averages.
        speeds: velocities of the joints at all times.
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
        """Return the samples of a mask (m,)."""
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
        """Return a mask (m,) of the samples with at least `count` samples before and after them without a gap."""
        begins = np.diff(self.times, prepend=-math.inf) > 1.5 * self.period
        ends = np.append(begins[1:], True)
        found: NDArray[np.bool_] = (_since(begins) >= count) & (_since(ends[::-1])[::-1] >= count)
        return found

    def at(self, lags: Floats) -> DelayedMotion:
        """Return the efforts on the joints, delayed by a lag of each joint (n,) [s]."""
        times, velocities = self.speeds
        late = np.stack(
            [np.interp(times - lag, times, v) for lag, v in zip(lags, velocities.T, strict=True)],
            axis=1,
        )
        dry = np.clip(late / CREEP, -1.0, 1.0)
        stribeck = dry * np.exp(-((late / STRIBECK) ** 2))
        rubs, speeds, more = (one[self.spans].mean(axis=1) for one in (dry, late, stribeck))
        expected, loads = self.earlier(self.expected, lags), self.earlier(self.loads, lags)
        return DelayedMotion(rubs, speeds, more, expected, loads)

    def earlier(self, values: Floats, lags: Floats) -> Floats:
        """Return values (m, n, ...) of the joints, delayed by a lag of each joint (n,) [s]."""
        return _earlier(self, values, lags)


def _since(begins: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the number of samples (m,) since the last start."""
    at = np.arange(len(begins))
    found: NDArray[np.intp] = at - np.maximum.accumulate(np.where(begins, at, 0))
    return found


class DelayedMotion(NamedTuple):
    """Motion and efforts of the joints at delayed times.

    Attributes:
        dry: (m, n) dry friction as a share of its maximum, -1 to 1.
        velocities: (m, n) [rad/s or m/s].
        stribeck: (m, n) excess of static friction as a share of its maximum, -1 to 1.
        expected: (m, n) efforts of rigid-body dynamics [Nm or N].
        loads: (m, n, 4) efforts of a unit of each load parameter.
    """

    dry: Floats
    velocities: Floats
    stribeck: Floats
    expected: Floats
    loads: Floats


class Speeds(NamedTuple):
    """Velocities (k, n) of a whole recording at k equidistant times [s]."""

    times: Floats
    velocities: Floats


def sampled(times: Floats, positions: Floats, efforts: Floats, dynamics: Dynamics) -> Samples:
    """Return the samples of a recording.

    Args:
        times: (k,) stamps of the recording, increasing [s].
        positions: (k, n) positions of the joints [rad or m].
        efforts: (k, n) measured efforts [Nm or N]; NaN or always 0: none.
        dynamics: dynamics of the same joints.

    Raises:
        ValueError: if the recording is shorter than 1 s.
    """
    step = max(middle(np.diff(times)), 1e-3)
    even = np.arange(times[0], times[-1] + 1e-9, step)
    half = max(3, round(HALF_WINDOW_S / step))
    if times[-1] - times[0] < _LEAST_S or len(even) < 4 * half:
        raise ValueError(
            f"found {times[-1] - times[0]:.2f} s with efforts; expected at least {_LEAST_S:g} s"
        )
    at = np.stack([np.interp(even, times, column) for column in positions.T], axis=1)
    measured = np.stack([np.interp(even, times, column) for column in efforts.T], axis=1)
    measured[:, (efforts == 0.0).all(axis=0)] = np.nan
    q, v, a = _smoothed(at, step, half)
    even, measured = even[half : half + len(q)], measured[half : half + len(q)]
    width = 2 * round(0.5 * (PERIOD_S / step - 1.0)) + 1 if step < PERIOD_S else 1
    count = len(q) // width
    spans = width * chosen_spans(count)[:, None] + np.arange(width)
    middles = spans[:, width // 2]
    rows = list(zip(q[middles], v[middles], a[middles], strict=True))
    found = Samples(
        even[middles],
        measured[spans].mean(axis=1),
        np.array([dynamics.rigid(*row) for row in rows]),
        np.array([dynamics.loads(*row) for row in rows]),
        np.stack([q[middles], v[middles], a[middles]]),
        width * step,
        spans,
        Speeds(even, v),
    )
    return replace(
        found, expected=_averaged(found, found.expected), loads=_averaged(found, found.loads)
    )


def _averaged(samples: Samples, values: Floats) -> Floats:
    """Return means over spans of values that are known at the centres of the spans."""
    bent = np.zeros_like(values)
    bent[1:-1] = values[2:] - 2.0 * values[1:-1] + values[:-2]
    bent[~samples.within()] = 0.0
    found: Floats = values + bent / 24.0
    return found


def _earlier(samples: Samples, values: Floats, lags: Floats) -> Floats:
    """Return delayed values (m, n, ...) by cubic interpolation; by linear interpolation next to gaps."""
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
    """Return the Lagrange weights of the values at offsets 1, 0, -1, -2 for interpolation at offset -part."""
    p = part
    return (
        -p * (p - 1.0) * (p - 2.0) / 6.0,
        (p + 1.0) * (p - 1.0) * (p - 2.0) / 2.0,
        -(p + 1.0) * p * (p - 2.0) / 2.0,
        (p + 1.0) * p * (p - 1.0) / 6.0,
    )


def _smoothed(positions: Floats, step: float, half: int) -> tuple[Floats, Floats, Floats]:
    """Return positions, velocities and accelerations, without `half` samples at both ends (Savitzky, Golay 1964)."""
    fit = np.linalg.pinv(np.vander(np.arange(-half, half + 1) * step, _ORDER, increasing=True))
    rows = fit[0], fit[1], 2.0 * fit[2]
    at, speed, change = (
        np.stack([np.convolve(one, row[::-1], mode="valid") for one in positions.T], axis=1)
        for row in rows
    )
    return at, speed, change


def chosen_spans(count: int, most: int = MOST, span: int = SPAN) -> NDArray[np.intp]:
    """Return the indices of the samples that are used: all, or at most `most` in evenly spaced spans."""
    if count <= most:
        return np.arange(count)
    begins = np.linspace(0, count - span, most // span).astype(np.intp)
    chosen = np.zeros(count, np.bool_)
    chosen[(begins[:, None] + np.arange(span)).ravel()] = True
    return np.flatnonzero(chosen)
