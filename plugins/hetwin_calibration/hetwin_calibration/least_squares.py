"""Robust least squares of few parameters: MuJoCo's solver with soft L1 loss, and the deviations of the solution.

The loss of a residual r is 2 (sqrt(1 + r^2) - 1): r^2 while r is small, twice its size where it is large. So residuals
are given divided by the scale at which a deviation begins to count as an outlier.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from mujoco import minimize
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Residuals = Callable[[Floats], Floats]
"""Parameters (n,) to residuals (m,); more than the scale of an outlier is above 1."""

_DIFFERENCE = 1e-6
"""Share of a parameter's unit by which derivatives are taken."""
_FLAT = 1e-12
"""Curvature, as a share of the largest, below which the residuals do not determine a direction."""
_DAMPING = 4.0
"""Factor by which steps are damped more, or less."""
_MOST_OWN = 0.9
"""Share of a residual that its own parameters have taken away; no more is believed."""
_FAR = 1e100
"""Stands for no bound, in units."""


class Fit(NamedTuple):
    """The parameters that fit best.

    Attributes:
        parameters: (n,).
        sd: (n,) their standard deviations; inf for those that the residuals do not determine.
        residuals: (m,) at the parameters, as they were given, without the loss.
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
    most_steps: int = 100,
    tolerance: float = 1e-8,
) -> Fit:
    """Return the parameters with the least sum of losses near a start.

    Args:
        residuals: to be minimised.
        start: parameters (n,) to begin with; moved within the bounds.
        units: (n,) changes of the parameters that matter about equally, above 0; default: 1 each.
        lower, upper: (n,) bounds; default: none.
        groups: (m,) whole numbers; residuals of the same group may depend on each other, as those of one recording
            do. Counts for the covariance only; default: none depends on another.
        jacobian: derivatives (m, n) of the residuals; default: by differences.
        most_steps: at most.
        tolerance: share of the parameters, in their units; a step that changes less is the last.

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
        max_iter=most_steps,
        mu_factor=_DAMPING,
        verbose=minimize.Verbosity.SILENT,
    )
    r = problem.residuals(best)
    found, left = np.clip(best[:, 0] * unit, low, high), r[:, 0]
    sd = np.sqrt(np.maximum(_variances(problem.slopes(best, r), left, groups), 0.0))
    return Fit(found, unit * sd, left, _LOSS.value(r))


class _SoftL1(minimize.Norm):  # type: ignore[misc]
    """Half the sum of the losses; its curvature is that of squares, weighted by the loss."""

    def value(self, r: Floats) -> float:
        return float(np.sum(r * r / (np.sqrt(1.0 + r * r) + 1.0)))

    def grad_hess(self, r: Floats, proj: Floats) -> tuple[Floats, Floats]:
        weighted = proj / np.sqrt(1.0 + r * r)
        return weighted.T @ r, weighted.T @ proj


_LOSS = _SoftL1()


class _Problem:
    """Residuals of columns of parameters, which are measured in their units."""

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
        """Return the column to begin with; raise ValueError if it cannot be."""
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
    """Of the estimate, (n,): curvature outside, spread of the groups' pulls inside."""
    m, n = J.shape
    bend = (1.0 + r * r) ** -1.5
    curvature = (J * bend[:, None]).T @ J
    inverse, free = _inverse(curvature)
    pulls = J * (r / np.sqrt(1.0 + r * r))[:, None]
    count = m
    if (
        groups is None
    ):  # the share that a parameter has taken from a residual that alone determines it (MacKinnon, White 1985)
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
    """The inverse (n, n) along determined directions, and which parameters (n,) are."""
    scale = np.sqrt(np.maximum(np.diag(curvature), 1e-300))
    values, vectors = np.linalg.eigh(curvature / np.outer(scale, scale))
    flat = values <= _FLAT * max(float(values[-1]), 1e-300)
    flat |= values <= 0.0
    free = ~(np.abs(vectors[:, flat]) > 1e-6).any(axis=1) & (np.diag(curvature) > 1e-200)
    kept = vectors[:, ~flat]
    return (kept / values[~flat]) @ kept.T / np.outer(scale, scale), free
