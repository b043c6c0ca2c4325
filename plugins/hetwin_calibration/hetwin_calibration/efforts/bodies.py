"""Errors of a description's masses, estimated from recorded efforts of an arm.

An additional mass on each link and its first moments act linearly on all joints before the link. They are fitted
together with each joint's friction, offset and motor inertia, and are used only if they explain held-out parts of the
recording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hetwin_calibration.efforts.samples import Dynamics, Samples, middle
from hetwin_calibration.efforts.splitting import Bools, Split
from hetwin_suite.model import Floats

_OWN = 4
"""Number of parameters of a joint: dry and viscous friction, offset, motor inertia."""
_ROUNDS = 8
_OUTLIER = 2.5
"""Residuals above this many standard deviations are weighted down (Huber)."""
_RIDGE = 1e-6
"""Share of each column's square that keeps undetermined parameters at 0."""
_WORTH = 0.1
"""Minimum reduction of the held-out RMS, as a share, for which masses are used."""


@dataclass(frozen=True, slots=True)
class Bodies:
    """The fit of masses to m samples of n joints.

    Attributes:
        left: (m, n) residual efforts.
        share: (n,) explained share of the mean square of the efforts beyond those of the described bodies.
        held: (n,) the same on held-out parts.
        signs: (n,) signs of the split, or 1 if masses explain as much without a change of sign.
    """

    left: Floats
    share: Floats
    held: Floats
    signs: Floats


def link_loads(samples: Samples, links: Sequence[Dynamics]) -> Floats:
    """Return the efforts (m, n, 4 n) of a unit of each load parameter of each link.

    Args:
        samples: m samples of an arm with n joints.
        links: dynamics of the first joint, of the first two, and so on; each has a load on its last link.
    """
    found = np.zeros((len(samples.times), len(links), 4 * len(links)))
    for k, dynamics in enumerate(links):
        rows = samples.motion[:, :, : k + 1]
        efforts = [dynamics.loads(*row) for row in zip(*rows, strict=True)]
        found[:, : k + 1, 4 * k : 4 * k + 4] = efforts
    return found


def fitted_bodies(
    samples: Samples, loads: Floats, found: Split, fitted: Bools, half: Split
) -> Bodies | None:
    """Return the fit of masses; None if it explains held-out parts no better than a split without masses.

    Args:
        samples: samples of the recording.
        loads: result of `link_loads`.
        found: split of all samples.
        fitted: (m,) mask of the samples to which `half` was fitted; the others are held out.
        half: split of the masked samples.
    """
    held = ~fitted
    if not held.any() or not found.is_torque:
        return None
    without = _size((half.signs * half.left(samples))[held], found)
    usual = replace(found, signs=np.ones_like(found.signs))
    best, size = None, (1.0 - _WORTH) * without
    for candidate in (usual, found):  # masses explain most of what looks like a wrong sign
        columns, target = equations(samples, loads, candidate)
        residuals = target - columns @ robust_fit(columns[fitted], target[fitted])[0]
        if (own := _size(residuals[held], found)) < size:
            before = candidate.bodies_left(samples)
            all_residuals = candidate.signs * (target - columns @ robust_fit(columns, target)[0])
            shares = (
                explained_share(all_residuals, before),
                explained_share(residuals[held], before[held]),
            )
            best, size = Bodies(all_residuals, *shares, candidate.signs), (1.0 - _WORTH) * own
    return best


def equations(samples: Samples, loads: Floats, found: Split) -> tuple[Floats, Floats]:
    """Return the design matrix (m, n, 8 n), and the efforts (m, n) beyond the described bodies; NaN: unknown."""
    lags = found.values("lag")
    late = samples.at(lags)
    count = samples.measured.shape[1]
    terms = (
        late.dry,
        late.velocities,
        np.ones_like(late.dry),
        samples.earlier(samples.motion[2], lags),
    )
    columns = np.zeros((*late.dry.shape, (_OWN + 4) * count))
    for j in range(count):
        columns[:, j, _OWN * j : _OWN * (j + 1)] = np.stack([part[:, j] for part in terms], axis=1)
    columns[:, :, _OWN * count :] = samples.earlier(loads, lags)
    return columns, found.signs * samples.measured - late.expected


def robust_fit(columns: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Return parameters (p,) of a robust least-squares fit (Huber), and its weights (m, n); 0: unknown."""
    known = np.isfinite(target)
    y = np.where(known, target, 0.0)
    scales = np.where(known.any(axis=0), 1.0, np.inf)
    weights = known.astype(np.float64)
    found = np.zeros(columns.shape[2])
    for _ in range(_ROUNDS):
        weighted = columns * (weights / scales**2)[:, :, None]
        gram = np.einsum("mnp,mnq->pq", weighted, columns, optimize=True)
        right = np.einsum("mnp,mn->p", weighted, y)
        sizes = np.sqrt(np.maximum(np.diag(gram), 1e-300))
        matrix = gram / np.outer(sizes, sizes) + _RIDGE * np.eye(len(sizes))
        found = np.linalg.solve(matrix, right / sizes) / sizes
        residuals = np.abs(y - columns @ found)
        for j in np.flatnonzero(known.any(axis=0)).tolist():
            scales[j] = max(1.483 * middle(residuals[known[:, j], j]), 1e-9)
        weights = known * np.minimum(1.0, _OUTLIER / np.maximum(residuals / scales, 1e-12))
    return found, weights / scales**2


def _size(left: Floats, found: Split) -> float:
    """Return the RMS of all joints' residuals, each relative to the split's residual of the joint."""
    return float(np.sqrt(np.nanmean((left / np.maximum(found.after, 1e-12)) ** 2)))


def explained_share(residuals: Floats, before: Floats) -> Floats:
    """Return the explained share (n,) of the mean square of efforts.

    Args:
        residuals: (m, n) residual efforts; NaN: unknown.
        before: (m, n) efforts to explain; NaN: unknown.
    """
    known = np.isfinite(residuals) & np.isfinite(before)
    unexplained, total = (np.where(known, efforts, 0.0) for efforts in (residuals, before))
    found: Floats = 1.0 - (unexplained**2).sum(axis=0) / np.maximum((total**2).sum(axis=0), 1e-300)
    return found
