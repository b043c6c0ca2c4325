"""Robust least squares with few parameters: MuJoCo's solver with soft L1 loss, and standard deviations.

The loss of a residual r is 2 (sqrt(1 + r^2) - 1), about r^2 for small r and 2 |r| for large r. Residuals are therefore
passed in units of the scale beyond which they are outliers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from mujoco import minimize
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Residuals = Callable[[Floats], Floats]
"""Function from parameters (n,) to residuals (m,) in units of the outliers' scale."""

_DIFFERENCE = 1e-6
"""Step of finite differences, as a share of a parameter's unit."""
_FLAT = 1e-12
"""Curvature, as a share of the largest, below which the residuals do not determine a direction."""
_DAMPING = 4.0
"""Factor by which the damping of steps is raised or lowered."""
_MOST_OWN = 0.9
"""Upper limit of a residual's leverage."""
_FAR = 1e100
"""Bound that stands for infinity, in units of the parameters."""


class Fit(NamedTuple):
    """The parameters that fit best.

    Attributes:
        parameters: (n,) best parameters.
        sd: (n,) standard deviations; inf for parameters that the residuals do not determine.
        residuals: (m,) residuals at the parameters, without the loss.
        cost: half the sum of the losses.
    """

    parameters: Floats
    sd: Floats
    residuals: Floats
    cost: float


def least_squares(
    residuals: Residuals,
    start: ArrayLike,
    *,
    units: ArrayLike | None = None,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    jacobian: Callable[[Floats], Floats] | None = None,
    max_steps: int = 100,
    tolerance: float = 1e-8,
) -> Fit:
    """Return the parameters that minimize the sum of losses, near a start.

    Args:
        residuals: function that computes the residuals.
        start: initial parameters (n,); clipped to the bounds.
        units: (n,) positive changes of the parameters with about equal effects; default: 1 each.
        lower, upper: (n,) bounds; default: none.
        groups: (m,) integers; residuals of the same group may be correlated, such as those of one recording. Used for
            the covariance only; default: all residuals are independent.
        jacobian: function that computes the derivatives (m, n) of the residuals; default: finite differences.
        max_steps: maximum number of steps.
        tolerance: relative step, in units, below which the fit has converged.

    Raises:
        ValueError: if there are fewer residuals than parameters, or they are not finite at the start.
    """
    x = np.asarray(start, dtype=np.float64)
    unit = np.ones_like(x) if units is None else np.asarray(units, dtype=np.float64)
    low = np.full_like(x, -np.inf) if lower is None else np.asarray(lower, dtype=np.float64)
    high = np.full_like(x, np.inf) if upper is None else np.asarray(upper, dtype=np.float64)
    problem = _Problem(residuals, jacobian, unit, low, high)
    best, _ = minimize.least_squares(
        problem.begin(x),
        problem.residuals,
        problem.bounds,
        problem.slopes,
        _LOSS,
        xtol=tolerance,
        gtol=tolerance,
        max_iter=max_steps,
        mu_factor=_DAMPING,
        verbose=minimize.Verbosity.SILENT,
    )
    r = problem.residuals(best)
    found, left = np.clip(best[:, 0] * unit, low, high), r[:, 0]
    sd = np.sqrt(np.maximum(_variances(problem.slopes(best, r), left, groups), 0.0))
    return Fit(found, unit * sd, left, _LOSS.value(r))


class _SoftL1(minimize.Norm):  # type: ignore[misc]
    """Half the sum of the losses; the Hessian is that of iteratively reweighted least squares."""

    def value(self, r: Floats) -> float:
        return float(np.sum(r * r / (np.sqrt(1.0 + r * r) + 1.0)))

    def grad_hess(self, r: Floats, proj: Floats) -> tuple[Floats, Floats]:
        weighted = proj / np.sqrt(1.0 + r * r)
        return weighted.T @ r, weighted.T @ proj


_LOSS = _SoftL1()


class _Problem:
    """The residuals as a function of columns of parameters in their units, as MuJoCo's solver needs it."""

    def __init__(
        self,
        residuals: Residuals,
        jacobian: Callable[[Floats], Floats] | None,
        unit: Floats,
        low: Floats,
        high: Floats,
    ) -> None:
        self._residuals, self._jacobian, self._unit = residuals, jacobian, unit
        self.bounds = [np.clip(end / unit, -_FAR, _FAR)[:, None] for end in (low, high)]

    def begin(self, start: Floats) -> Floats:
        """Return the initial column (n, 1).

        Raises:
            ValueError: if there are too few residuals, or they are not finite.
        """
        first = np.clip((start / self._unit)[:, None], *self.bounds)
        r = self.residuals(first)
        if len(r) < len(first):
            raise ValueError(f"found {len(r)} residuals; expected at least {len(first)}")
        if not np.isfinite(r).all():
            raise ValueError("found residuals at the start that are not finite; expected numbers")
        return first

    def residuals(self, columns: Floats) -> Floats:
        """Return the residuals (m, k) of columns (n, k)."""
        rows = [self._residuals(column * self._unit) for column in columns.T]
        return np.array(rows, dtype=np.float64).T

    def slopes(self, column: Floats, r: Floats) -> Floats:
        """Return the derivatives (m, n) of the residuals r (m, 1) by a column (n, 1)."""
        if self._jacobian is not None:
            return np.asarray(self._jacobian(column[:, 0] * self._unit), np.float64) * self._unit
        found, _ = minimize.jacobian_fd(self.residuals, column, r, _DIFFERENCE, 0, self.bounds)
        return np.asarray(found)


def _variances(J: Floats, r: Floats, groups: ArrayLike | None) -> Floats:  # noqa: N803
    """Return the variances (n,) of the parameters by the sandwich estimator, clustered by group."""
    m, n = J.shape
    bend = (1.0 + r * r) ** -1.5
    curvature = (J * bend[:, None]).T @ J
    inverse, free = _inverse(curvature)
    pulls = J * (r / np.sqrt(1.0 + r * r))[:, None]
    count = m
    if (
        groups is None
    ):  # divide each residual by 1 - leverage, as the fit has reduced it (MacKinnon, White 1985)
        own = np.minimum(bend * np.einsum("ij,jk,ik->i", J, inverse, J), _MOST_OWN)
        pulls /= np.sqrt(1.0 - own)[:, None]
    if groups is not None:
        _, member = np.unique(np.asarray(groups), return_inverse=True)
        if member.max() + 1 > n:
            count = int(member.max()) + 1
            sums = np.zeros((count, n))
            np.add.at(sums, member, pulls)
            pulls = sums
    spread = pulls.T @ pulls * (count / max(count - n, 1))
    return np.where(free, np.diag(inverse @ spread @ inverse), np.inf)


def _inverse(curvature: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the inverse (n, n) along determined directions, and a mask (n,) of the determined parameters."""
    scale = np.sqrt(np.maximum(np.diag(curvature), 1e-300))
    values, vectors = np.linalg.eigh(curvature / np.outer(scale, scale))
    flat = values <= _FLAT * max(float(values[-1]), 1e-300)
    flat |= values <= 0.0
    free = ~(np.abs(vectors[:, flat]) > 1e-6).any(axis=1) & (np.diag(curvature) > 1e-200)
    kept = vectors[:, ~flat]
    return (kept / values[~flat]) @ kept.T / np.outer(scale, scale), free
