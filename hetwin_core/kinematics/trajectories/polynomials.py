"""Polynomials in time between points: linear, cubic or quintic, by what is known at the points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class State(NamedTuple):
    """Positions [rad or m], velocities and accelerations of n joints, each (n,), or (m, n) at m times."""

    positions: Floats
    velocities: Floats
    accelerations: Floats


class Polynomials:
    """The motion of n joints through k points; at rest at the first one before it, and at the last one after it.

    Args:
        times: (k,) of the points, increasing [s].
        positions: (k, n).
        velocities: (k, n); None: linear.
        accelerations: (k, n); None: cubic, if there are velocities.
    """

    def __init__(
        self,
        times: Floats,
        positions: Floats,
        velocities: Floats | None,
        accelerations: Floats | None,
    ) -> None:
        self._times, self._positions = times, positions
        lengths = np.diff(times)[:, None]
        if velocities is None:
            inner = _linear(positions, lengths)
        elif accelerations is None:
            inner = _cubic(positions, velocities, lengths)
        else:
            inner = _quintic(positions, velocities, accelerations, lengths)
        self._coefficients = inner

    def at(self, time: float) -> State:
        """Return the motion at a time [s], each (n,); to the bit what `sample` returns, in less time."""
        times = self._times
        first, last = times[0], times[-1]
        resting = np.zeros_like(self._positions[0])
        if len(times) == 1 or time >= last:
            return State(self._positions[-1].copy(), resting, resting.copy())
        segment = max(int(np.searchsorted(times, time, "right")) - 1, 0)
        t = max(time, first) - times[segment]
        positions, velocities, accelerations = resting, resting, resting
        for each in self._coefficients[::-1, segment]:  # Horner's rule, with both derivatives
            accelerations = accelerations * t + 2.0 * velocities
            velocities = velocities * t + positions
            positions = positions * t + each
        if time < first:
            return State(positions, resting, resting.copy())
        return State(positions, velocities, accelerations)

    def sample(self, times: Floats) -> State:
        """Return the motion at times (m,) [s], each (m, n)."""
        first, last = self._times[0], self._times[-1]
        shape = (len(times), self._positions.shape[1])
        if len(self._times) == 1:
            zeros = np.zeros(shape)
            return State(np.broadcast_to(self._positions[0], shape).copy(), zeros, zeros.copy())
        segment = np.searchsorted(self._times, times, "right") - 1
        segment = np.clip(segment, 0, len(self._times) - 2)
        c = self._coefficients[:, segment]
        t = (np.clip(times, first, last) - self._times[segment])[:, None]
        positions, velocities, accelerations = np.zeros((3, *shape))
        for degree in range(len(c) - 1, -1, -1):  # Horner's rule, with both derivatives
            accelerations = accelerations * t + 2.0 * velocities
            velocities = velocities * t + positions
            positions = positions * t + c[degree]
        resting = (times < first) | (times >= last)
        velocities[resting] = accelerations[resting] = 0.0
        positions[times >= last] = self._positions[-1]
        return State(positions, velocities, accelerations)


def _linear(positions: Floats, lengths: Floats) -> Floats:
    """(2, k - 1, n) coefficients of the powers of time."""
    return np.stack((positions[:-1], np.diff(positions, axis=0) / lengths))


def _cubic(positions: Floats, velocities: Floats, t: Floats) -> Floats:
    """(4, k - 1, n) coefficients of the powers of time."""
    way, begin, end = np.diff(positions, axis=0), velocities[:-1], velocities[1:]
    return np.stack(
        (
            positions[:-1],
            begin,
            3.0 * way / t**2 - (2.0 * begin + end) / t,
            -2.0 * way / t**3 + (begin + end) / t**2,
        )
    )


def _quintic(positions: Floats, velocities: Floats, accelerations: Floats, t: Floats) -> Floats:
    """(6, k - 1, n) coefficients of the powers of time."""
    way = np.diff(positions, axis=0)
    v0, v1 = velocities[:-1], velocities[1:]
    a0, a1 = accelerations[:-1], accelerations[1:]
    return np.stack(
        (
            positions[:-1],
            v0,
            a0 / 2.0,
            (20.0 * way - (8.0 * v1 + 12.0 * v0) * t - (3.0 * a0 - a1) * t**2) / (2.0 * t**3),
            (-30.0 * way + (14.0 * v1 + 16.0 * v0) * t + (3.0 * a0 - 2.0 * a1) * t**2)
            / (2.0 * t**4),
            (12.0 * way - 6.0 * (v1 + v0) * t - (a0 - a1) * t**2) / (2.0 * t**5),
        )
    )
