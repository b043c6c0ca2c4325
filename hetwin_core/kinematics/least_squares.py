"""Robust least squares of few parameters: Levenberg and Marquardt's steps, soft L1 loss, bounds, covariance.

The loss of a residual r is 2 (sqrt(1 + r^2) - 1): r^2 while r is small, twice its size where it is large. So residuals
are given divided by the scale at which a deviation begins to count as an outlier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Residuals = Callable[[Floats], Floats]
"""Parameters (n,) to residuals (m,); more than the scale of an outlier is above 1."""

_SMALLEST_STEP = 1e-10
"""Share of a parameter's unit below which a step is none."""
_DIFFERENCE = 1e-6
"""Share of a parameter's unit by which derivatives are taken."""
_FLAT = 1e-12
"""Curvature, as a share of the largest, below which the residuals do not determine a direction."""
_LEAST_DAMPING, _MOST_DAMPING = 1e-12, 1e12


@dataclass(frozen=True, slots=True)
class Fit:
    """The parameters that fit best.

    Attributes:
        parameters: (n,).
        covariance: (n, n) of the parameters; rows and columns of those that the residuals do not determine are inf.
        residuals: (m,) at the parameters, as they were given, without the loss.
        cost: half the sum of the losses.
        converged: whether the last step was smaller than it matters.
    """

    parameters: Floats
    covariance: Floats
    residuals: Floats
    cost: float
    converged: bool

    @property
    def sd(self) -> Floats:
        """Standard deviations of the parameters, (n,); inf where they are not determined."""
        return np.asarray(np.sqrt(np.diag(self.covariance)), dtype=np.float64)


def least_squares(
    residuals: Residuals,
    start: ArrayLike,
    *,
    units: ArrayLike | None = None,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    jacobian: Callable[[Floats], Floats] | None = None,
    most_steps: int = 100,
    least_gain: float = 1e-10,
) -> Fit:
    """Return the parameters with the least sum of losses near a start.

    Args:
        residuals: what becomes small.
        start: parameters (n,) to begin with; moved within the bounds.
        units: (n,) changes of the parameters that matter about equally, above 0; default: 1 each.
        lower, upper: (n,) bounds; default: none.
        groups: (m,) whole numbers; residuals of the same group may depend on each other, as those of one recording
            do. Counts for the covariance only; default: none depends on another.
        jacobian: derivatives (m, n) of the residuals; default: by differences.
        most_steps: at most.
        least_gain: share of the cost; a step that gains less is the last.

    Raises:
        ValueError: if there are fewer residuals than parameters, or they are not finite at the start.
    """
    x = np.asarray(start, dtype=np.float64)
    unit = np.ones_like(x) if units is None else np.asarray(units, dtype=np.float64)
    low = np.full_like(x, -np.inf) if lower is None else np.asarray(lower, dtype=np.float64)
    high = np.full_like(x, np.inf) if upper is None else np.asarray(upper, dtype=np.float64)
    search = _Search(residuals, jacobian, unit, low, high, least_gain)
    x, r, converged = search.from_start(np.clip(x, low, high), most_steps)
    covariance = _covariance(search.derivatives(x, r), r, groups) * np.outer(unit, unit)
    return Fit(x, covariance, r, _cost(r), converged)


@dataclass(frozen=True, slots=True)
class _Search:
    """Steps of Levenberg and Marquardt, with parameters measured in their units."""

    residuals: Residuals
    jacobian: Callable[[Floats], Floats] | None
    unit: Floats
    low: Floats
    high: Floats
    least_gain: float

    def from_start(self, x: Floats, most_steps: int) -> tuple[Floats, Floats, bool]:
        """Return parameters, residuals, and whether nothing is left to do."""
        r = self._at(x)
        if len(r) < len(x):
            raise ValueError(f"found {len(r)} residuals; expected at least {len(x)}")
        if not np.isfinite(r).all():
            raise ValueError("found residuals at the start that are not finite; expected numbers")
        damping = 1e-3
        for _ in range(most_steps):
            gradient, curvature = self._model(x, r)
            while True:
                step = self._step(x, gradient, curvature, damping)
                tried = np.clip(x + step, self.low, self.high)
                if (np.abs(tried - x) <= _SMALLEST_STEP * self.unit).all():
                    return x, r, True
                r_tried = self._at(tried)
                if _cost(r_tried) < _cost(r):  # never of what is not a number
                    break
                damping *= 4.0
                if damping > _MOST_DAMPING:
                    return x, r, True
            gain = _cost(r) - _cost(r_tried)
            x, r = tried, r_tried
            if gain <= self.least_gain * _cost(r):
                return x, r, True
            damping = max(damping / 10.0, _LEAST_DAMPING)
        return x, r, False

    def derivatives(self, x: Floats, r: Floats) -> Floats:
        """Return the derivatives (m, n) of the residuals by the parameters in their units."""
        if self.jacobian is not None:
            return np.asarray(self.jacobian(x), dtype=np.float64) * self.unit
        columns = []
        for i in range(len(x)):
            other = x.copy()
            forward = x[i] + _DIFFERENCE * self.unit[i] <= self.high[i]
            other[i] += _DIFFERENCE * self.unit[i] * (1.0 if forward else -1.0)
            columns.append((self._at(other) - r) * (self.unit[i] / (other[i] - x[i])))
        return np.array(columns).T

    def _at(self, x: Floats) -> Floats:
        return np.asarray(self.residuals(x), dtype=np.float64)

    def _model(self, x: Floats, r: Floats) -> tuple[Floats, Floats]:
        """Gradient (n,) and curvature (n, n) of the cost, every residual weighted by what its loss makes of it."""
        J = self.derivatives(x, r)  # noqa: N806
        weighted = J / np.sqrt(1.0 + r * r)[:, None]
        return weighted.T @ r, weighted.T @ J

    def _step(self, x: Floats, gradient: Floats, curvature: Floats, damping: float) -> Floats:
        """The step; none for parameters at a bound that it would lead across."""
        free = ~(((x <= self.low) & (gradient > 0)) | ((x >= self.high) & (gradient < 0)))
        step = np.zeros_like(x)
        inner = curvature[np.ix_(free, free)]
        scale = np.diag(inner) + _FLAT * max(np.trace(inner), 1e-300)
        step[free] = -np.linalg.solve(inner + damping * np.diag(scale), gradient[free])
        return step * self.unit


def _cost(r: Floats) -> float:
    return float(np.sum(np.sqrt(1.0 + r * r) - 1.0))


def _covariance(J: Floats, r: Floats, groups: ArrayLike | None) -> Floats:  # noqa: N803
    """The covariance (n, n) of the estimate: curvature outside, spread of the groups' pulls inside."""
    m, n = J.shape
    bend = (1.0 + r * r) ** -1.5
    curvature = (J * bend[:, None]).T @ J
    inverse, free = _inverse(curvature)
    pulls = J * (r / np.sqrt(1.0 + r * r))[:, None]
    count = m
    if groups is not None:
        _, member = np.unique(np.asarray(groups), return_inverse=True)
        if member.max() + 1 > n:
            count = int(member.max()) + 1
            sums = np.zeros((count, n))
            np.add.at(sums, member, pulls)
            pulls = sums
    spread = pulls.T @ pulls * (count / max(count - n, 1))
    covariance = inverse @ spread @ inverse
    covariance[~free, :] = covariance[:, ~free] = np.inf
    return np.asarray(covariance, dtype=np.float64)


def _inverse(curvature: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The inverse (n, n) along what is determined, and which parameters (n,) are."""
    scale = np.sqrt(np.maximum(np.diag(curvature), 1e-300))
    values, vectors = np.linalg.eigh(curvature / np.outer(scale, scale))
    flat = values <= _FLAT * max(float(values[-1]), 1e-300)
    flat |= values <= 0.0
    free = ~(np.abs(vectors[:, flat]) > 1e-6).any(axis=1) & (np.diag(curvature) > 1e-200)
    kept = vectors[:, ~flat]
    return (kept / values[~flat]) @ kept.T / np.outer(scale, scale), free
