"""Standard deviation of a residual over time, which grows with the arm's speed and acceleration."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from hetwin_calibration.efforts.samples import Samples
from hetwin_suite.model import Floats

_ROUNDS = 4
_OUTLIER = 2.5
_RIDGE = 1e-9
_OF_NORMAL = 1.2533
"""Ratio of standard deviation to mean absolute value of a normal distribution."""


def deviations(samples: Samples, residuals: Floats) -> Floats:
    """Return standard deviations (m, n): a constant for each joint, plus terms in the arm's speed and acceleration.

    Args:
        samples: samples of the motion.
        residuals: (m, n) residuals; NaN: unknown.
    """
    _, velocities, accelerations = samples.motion
    speeds = [np.sqrt((motion**2).sum(axis=1)) for motion in (velocities, accelerations)]
    columns = np.stack([np.ones(len(residuals)), *speeds], axis=1)
    found = np.full(residuals.shape, np.nan)
    for j, sizes in enumerate(np.abs(residuals).T):
        known = np.isfinite(sizes)
        if known.any() and sizes[known].any():
            found[:, j] = columns @ _fitted(columns[known], sizes[known])
    return found


def _fitted(columns: Floats, sizes: Floats) -> Floats:
    """Return non-negative coefficients of a standard deviation, from absolute residuals."""
    floor = 1e-3 * float(sizes.max())
    deviation = np.full(len(sizes), _OF_NORMAL * float(sizes.mean()))
    found = np.zeros(columns.shape[1])
    for _ in range(_ROUNDS):
        away = sizes / deviation
        weights = np.sqrt(np.minimum(1.0, _OUTLIER / np.maximum(away, 1e-12))) / deviation
        found = _positive(columns * weights[:, None], _OF_NORMAL * sizes * weights)
        deviation = np.maximum(columns @ found, floor)
    return found


def _positive(columns: Floats, values: Floats) -> Floats:
    """Return the non-negative least-squares solution, by trying each set of columns."""
    columns = columns + 1e-300  # an arm that rests has columns of 0
    count = columns.shape[1]
    gram, right = columns.T @ columns, columns.T @ values
    best, gain = np.zeros(count), 0.0
    for size in range(1, count + 1):
        for chosen in combinations(range(count), size):
            at = list(chosen)
            square = gram[at][:, at]
            own = np.linalg.solve(square + _RIDGE * np.diag(np.diag(square)), right[at])
            if (own >= 0.0).all() and float(own @ right[at]) > gain:
                best, gain = np.zeros(count), float(own @ right[at])
                best[at] = own
    return best
