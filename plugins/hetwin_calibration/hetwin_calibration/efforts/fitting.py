"""Fit of an explanation of measured efforts.

The fit is linear in its parameters except for the signs of the joints, which are determined first, and the lags, by
which the motion is shifted again in each iteration. Parameters that the recording does not determine are removed one
by one (backward elimination): each remaining value is several standard deviations from 0, where the standard
deviation accounts for the autocorrelation of the residuals. Touches are outliers, which Huber's weights suppress.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.efforts.samples import LOADS, DelayedMotion, Samples, middle
from hetwin_calibration.efforts.splitting import (
    OF_JOINT,
    OF_LOAD,
    Bools,
    Claim,
    Name,
    Split,
    upright,
)
from hetwin_suite.model import Floats

TORQUES = 0.3, 3.0
"""Range of the ratio of measured to expected efforts of torques; motor currents of a real arm have 0.00 to 0.06."""
SURE = 4.5
"""Minimum value of a claimed parameter, in its standard deviations."""
_WORTH = 0.1
"""Minimum effect of a claimed parameter, as a share of the noise's standard deviation."""
_ALIKE = 0.95
"""Minimum correlation of estimates that count as indistinguishable."""
_OUTLIER = 2.5
"""Residuals beyond this many standard deviations are weighted down (Huber)."""
_ROUNDS, _FREE = 6, 4
"""Numbers of iterations with elimination of parameters, and of those before without."""
_QUICK = 2
"""Both numbers of iterations of a quick fit."""
_LEAST = 25
"""Minimum number of samples of a joint."""
_MOST_LAG_S, _USUAL_LAG_S = 0.3, 0.02
_LEAST_SPEED = 0.05
"""Minimum speed of a joint whose friction can be estimated [rad/s or m/s]."""
_CLEAR = 0.1
"""Minimum reduction of the logarithmic cost for which a joint's sign is changed."""
_DRIVES = 0.5
"""Maximum driving power of estimated friction, in standard deviations of the noise; more is physically impossible."""
_FLAT = 1e-9
_WIDTH, _RATIO, _LAG = len(OF_JOINT), OF_JOINT.index("ratio"), OF_JOINT.index("lag")


def split(samples: Samples, *, quick: bool = False) -> Split:
    """Return the explanation of the efforts of samples.

    Args:
        samples: samples of an arm.
        quick: use fewer iterations, keep all signs, and do not try factors in place of a load.

    Raises:
        ValueError: if no joint has enough samples.
    """
    known = np.isfinite(samples.measured) & np.isfinite(samples.expected)
    judged = known.sum(axis=0) >= _LEAST
    if not judged.any():
        most = int(known.sum(axis=0).max(initial=0))
        raise ValueError(f"found {most} samples with efforts; expected at least {_LEAST}")
    known &= judged
    signs = np.ones(len(judged))
    is_torque = TORQUES[0] <= _overall_ratio(samples, known) <= TORQUES[1]
    if quick:
        return _Fit(samples, known, signs, is_torque=is_torque, rounds=_QUICK).split(_QUICK)
    best = _Fit(samples, known, signs, is_torque=is_torque)
    for joint in _unclear(samples, known) if is_torque else ():
        other = signs.copy()
        other[joint] = -1.0
        candidate = _Fit(upright(samples, other), known, other, is_torque=True)
        if candidate.cost < best.cost - _CLEAR:
            best, signs = candidate, other
    loaded = best.split()
    if not is_torque:
        return loaded
    other_fit = _Fit(upright(samples, signs), known, signs, is_torque=True, has_load=False)
    scaled = other_fit.split()
    return loaded if _is_physical(loaded) and best.size < other_fit.size else scaled


def _is_physical(found: Split) -> bool:
    """Return whether the load's mass is not negative, and its centre within 0.5 m of the last link's origin."""
    mass, *moments = found.load.tolist()
    return all(abs(moment) <= 0.5 * mass for moment in moments)


def _unclear(samples: Samples, known: Bools) -> list[int]:
    """Return the joints for which a rough fit has a negative ratio, or friction that drives the joint."""
    found = []
    now = samples.at(np.zeros(known.shape[1]))
    for j in np.flatnonzero(known.any(axis=0)).tolist():
        rows = known[:, j]
        parts = now.expected, now.dry, now.velocities, np.ones_like(now.dry)
        table = np.stack([part[rows, j] for part in parts], axis=1)
        values = _inverse(table.T @ table) @ (table.T @ samples.measured[rows, j])
        power = (table[:, 1:3] * now.velocities[rows, j, None]).mean(axis=0)
        if values[0] < 0.0 or power @ values[1:3] < 0.0:
            found.append(j)
    return found


def _overall_ratio(samples: Samples, known: Bools) -> float:
    """Return the median absolute ratio of measured to expected efforts of the joints with the largest efforts."""
    e, m = (np.where(known, one, 0.0) for one in (samples.expected, samples.measured))
    squares = (e**2).sum(axis=0)
    heavy = squares > 0.01 * squares.max(initial=0.0)
    ratios = np.abs((e * m).sum(axis=0)[heavy]) / squares[heavy]
    return middle(ratios) if heavy.any() else 1.0


class _Fit:
    """The fit: parameters of each joint, joint by joint, followed by those of the load."""

    def __init__(
        self,
        samples: Samples,
        known: Bools,
        signs: Floats,
        *,
        is_torque: bool,
        has_load: bool = True,
        rounds: int = _FREE,
    ) -> None:
        self._samples, self._known = samples, known
        self._signs = self._given = signs
        self._is_torque, self._has_load = is_torque, has_load and is_torque
        self._count = count = known.shape[1]
        names: list[Name] = [(name, j) for j in range(count) for name in OF_JOINT]
        self._names = names + [(name, None) for name in OF_LOAD]
        self._values = np.zeros(len(self._names))
        self._weights = known.astype(np.float64)
        self._scale = np.ones(count)
        self._noise = np.ones(count)
        self._lag_at = np.arange(count) * _WIDTH + _LAG
        loads = np.arange(len(names), len(self._names))
        own = np.arange(len(names)).reshape(count, _WIDTH)
        self._at = [
            np.concatenate([each, loads]) for each in own
        ]  # parameters that act on each joint

        self._now = samples.at(np.zeros(count))
        self._weigh(self._target(self._now))
        for _ in range(rounds):
            self._round(free=True)

    @property
    def cost(self) -> float:
        """Sum of the logarithmic residuals, plus 1 for each friction term that drives its joint."""
        left = np.log(self._scale[self._known.any(axis=0)]).sum()
        own = self._values[:-LOADS].reshape(self._count, _WIDTH)
        rubs = np.stack([self._now.dry, self._now.velocities])
        power = (rubs * own[:, :2].T[:, None] * self._now.velocities).sum(axis=0).mean(axis=0)
        speeds = np.sqrt((self._now.velocities**2).mean(axis=0))
        return float(left + (power < -_DRIVES * self._scale * speeds).sum())

    @property
    def size(self) -> float:
        """Half the Bayesian information criterion (Schwarz 1978), with the effective number of samples."""
        judged = self._known.any(axis=0)
        counts = self._known.sum(axis=0)[judged] * (self._scale / self._noise)[judged] ** 2
        left = (counts * np.log(self._scale[judged])).sum()
        return float(left + 0.5 * np.count_nonzero(self._values) * np.log(counts.sum()))

    def split(self, rounds: int = _ROUNDS) -> Split:
        """Remove undetermined parameters iteratively, and return the result."""
        for _ in range(rounds):
            kept, inverse, gram = self._round(free=False)
        return self._result(kept, inverse, gram)

    def _round(self, *, free: bool) -> tuple[NDArray[np.intp], Floats, Floats]:
        lags = self._values[self._lag_at]
        late = self._samples.at(lags)
        columns = self._columns(late)
        target = self._target(late)
        used = np.flatnonzero(self._usable(columns))
        gram, right = self._normal(columns, target)
        right += (
            gram[:, self._lag_at] @ lags
        )  # so that the solution is the total lag, not its change
        if free:
            gram[self._lag_at, self._lag_at] += _USUAL_LAG_S**-2
        kept, inverse = self._selected(gram, right, used, columns, free=free)
        found = np.zeros(len(self._names))
        found[kept] = inverse @ right[kept]
        found[self._lag_at] = np.clip(found[self._lag_at], -_MOST_LAG_S, _MOST_LAG_S)
        self._values = found
        more = found.copy()
        more[self._lag_at] -= lags
        self._weigh(target - _predicted(columns, more))
        return kept, inverse, gram

    def _target(self, late: DelayedMotion) -> Floats:
        base = late.expected if self._is_torque else np.zeros_like(late.expected)
        return np.where(self._known, self._samples.measured - base, 0.0)

    def _columns(self, late: DelayedMotion) -> list[Floats]:
        """Return the design matrix (m, 6 + 4) of each joint: its own parameters and those of the load."""
        own = self._values[:-LOADS].reshape(self._count, _WIDTH)
        parts = [late.dry, late.velocities, late.stribeck, np.ones_like(late.dry), late.expected]
        moved = sum(
            (part * own[:, k] for k, part in enumerate(parts)), late.loads @ self._values[-LOADS:]
        )
        if self._is_torque:
            moved = moved + late.expected
        parts.append(-_slopes(self._samples, np.nan_to_num(moved)))
        tables = np.concatenate([np.stack(parts, axis=2), late.loads], axis=2)
        return [np.where(self._known[:, j, None], tables[:, j], 0.0) for j in range(self._count)]

    def _usable(self, columns: list[Floats]) -> Bools:
        """Return a mask of the parameters that affect the efforts and can be estimated."""
        sizes = np.array([np.abs(table).max(axis=0) for table in columns])
        fast = np.array([np.abs(t[:, 1]).max() > _LEAST_SPEED for t in columns])
        both = np.array([t[:, 0].min() < -0.5 and t[:, 0].max() > 0.5 for t in columns])
        own = sizes[:, :_WIDTH] > 1e-9
        own[:, 1] &= fast
        own[:, _RATIO] &= (fast | (not self._is_torque)) & (not self._has_load)
        own[:, [0, 2]] &= (fast & both)[:, None]
        loads = sizes[:, _WIDTH:].max(axis=0) > 1e-9
        return np.concatenate([own.ravel(), loads & self._has_load])

    def _normal(self, columns: list[Floats], target: Floats) -> tuple[Floats, Floats]:
        """Return the matrix and the right-hand side of the normal equations of all parameters."""
        size = len(self._names)
        gram, right = np.zeros((size, size)), np.zeros(size)
        for j, table in enumerate(columns):
            at = self._at[j]
            weighted = table * (self._weights[:, j] / self._noise[j] ** 2)[:, None]
            gram[np.ix_(at, at)] += weighted.T @ table
            right[at] += weighted.T @ target[:, j]
        return gram, right

    def _selected(
        self,
        gram: Floats,
        right: Floats,
        kept: NDArray[np.intp],
        columns: list[Floats],
        *,
        free: bool,
    ) -> tuple[NDArray[np.intp], Floats]:
        """Remove the least significant parameter until all are significant; return the rest and their covariance."""
        inverse = _inverse(gram[np.ix_(kept, kept)])
        is_factor = np.isin(np.arange(len(self._names)), self._lag_at - _LAG + _RATIO)
        rubs = np.isin(np.arange(len(self._names)), np.add.outer(self._lag_at - _LAG, [0, 1]))
        effects = self._effects(columns)
        while len(kept) and not free:
            values = inverse @ right[kept]
            sure = np.abs(values) / np.sqrt(np.maximum(np.diag(inverse), 1e-300))
            sure = np.minimum(sure, SURE / _WORTH * effects[kept] * np.abs(values))
            if self._is_torque:
                off = (values < TORQUES[0] - 1.0) | (values > TORQUES[1] - 1.0)
                sure[is_factor[kept] & off] *= 1e-3  # not a torque sensor's scale error
                sure[(rubs[kept]) & (values < 0.0)] *= 1e-3  # friction cannot drive a joint
            else:
                sure[is_factor[kept]] = np.inf
            worst = int(sure.argmin())
            if sure[worst] >= SURE:
                break
            pulls = inverse[:, worst] / inverse[worst, worst] ** 0.5
            remaining = np.arange(len(kept)) != worst
            inverse = (inverse - np.outer(pulls, pulls))[np.ix_(remaining, remaining)]
            kept = kept[remaining]
        return kept, inverse

    def _effects(self, columns: list[Floats]) -> Floats:
        """Return the RMS effect of a unit of each parameter on efforts, in standard deviations of the noise."""
        effects = np.zeros(len(self._names))
        for j, table in enumerate(columns):
            sizes = np.sqrt((table**2).mean(axis=0)) / self._scale[j]
            effects[self._at[j]] = np.maximum(effects[self._at[j]], sizes)
        return effects

    def _weigh(self, left: Floats) -> None:
        """Update noise and Huber weights from the residuals."""
        for j in np.flatnonzero(self._known.any(axis=0)).tolist():
            known = self._known[:, j]
            own = left[known, j]
            floor = 1e-4 * float(np.abs(self._samples.measured[known, j]).max())
            scale = max(1.483 * middle(np.abs(own)), floor, 1e-9)
            away = np.abs(own) / scale
            self._weights[known, j] = np.minimum(1.0, _OUTLIER / np.maximum(away, 1e-12))
            self._scale[j] = scale
            self._noise[j] = _uncertainty(own / scale, self._weights[known, j]) * scale

    def _result(self, kept: NDArray[np.intp], inverse: Floats, gram: Floats) -> Split:
        judged = self._known.any(axis=0)
        ratios = self._values[self._lag_at - _LAG + _RATIO]
        factors = 1.0 + ratios if self._is_torque else np.where(ratios == 0.0, 1.0, ratios)
        units = np.ones(len(self._names))
        if self._is_torque:  # friction is measured at the joint, not by the sensor
            scaled = np.array([name in OF_JOINT[:_RATIO] for name, _ in self._names[:-LOADS]])
            units[:-LOADS][scaled] = (1.0 / factors).repeat(_WIDTH)[scaled]
        else:
            turned = np.where(factors < 0.0, -1.0, 1.0)
            self._signs, factors = self._signs * turned, np.abs(factors)
            units[:-LOADS] = np.repeat(turned, _WIDTH)
            units[self._lag_at] = 1.0
        columns = self._columns(self._samples.at(self._values[self._lag_at]))
        instead = _instead(gram, kept, inverse, np.flatnonzero(self._usable(columns)))
        usable = self._usable(columns)[:-LOADS].reshape(self._count, _WIDTH)
        claims = []
        for i, at in enumerate(kept.tolist()):
            name, joint = self._names[at]
            value, sd = self._values[at] * units[at], np.sqrt(inverse[i, i]) * abs(units[at])
            others = tuple(self._names[other] for other in instead.get(at, ()))
            if name == "offset" and joint is not None and not usable[joint, 0]:
                others = (("dry", joint), *others)
            claims.append(Claim(name, joint, float(value), float(sd), others))
        unknown = tuple(
            tuple(n for n, is_used in zip(OF_JOINT, row, strict=True) if not is_used)
            for row in usable.tolist()
        )
        scale = np.outer(units[kept], units[kept])
        found = Split(
            tuple(claims),
            inverse * scale,
            self._signs,
            factors,
            self._is_torque,
            np.where(judged, self._scale, np.nan),
            np.zeros(0),
            np.zeros(0),
            unknown,
        )
        return _with_sizes(found, upright(self._samples, self._given), self._weights)


def _with_sizes(found: Split, samples: Samples, weights: Floats) -> Split:
    """Return the split with RMS values, in which outliers have the weights of the fit."""
    total = np.maximum(weights.sum(axis=0), 1e-12)

    def sizes(left: Floats) -> Floats:
        squares = np.where(weights > 0.0, left, 0.0) ** 2 * weights
        return np.asarray(np.sqrt(squares.sum(axis=0) / total))

    return replace(
        found, before=sizes(found.bodies_left(samples)), after=sizes(found.left(samples))
    )


def _predicted(columns: list[Floats], values: Floats) -> Floats:
    loads = values[-LOADS:]
    rows = values[:-LOADS].reshape(len(columns), _WIDTH)
    return np.stack(
        [table @ np.concatenate([own, loads]) for table, own in zip(columns, rows, strict=True)],
        axis=1,
    )


def _slopes(samples: Samples, values: Floats) -> Floats:
    """Return time derivatives (m, n); 0 next to gaps."""
    found: Floats = np.gradient(values, samples.period, axis=0)
    found[~samples.within()] = 0.0
    return found


def _uncertainty(left: Floats, weights: Floats) -> float:
    """Return the factor on the residuals' scale that yields the actual uncertainty of a weighted fit.

    Args:
        left: residuals in units of their scale.
        weights: Huber weights of the residuals.
    """
    pulls = weights * left
    inside = float((weights >= 1.0).mean())
    variance = float((pulls**2).mean()) / inside**2 * float(weights.mean())
    return float(np.sqrt(max(variance, 1e-6) * alike(pulls)))


def alike(values: Floats) -> float:
    """Return the variance of the mean relative to that of independent values, by autocorrelation."""
    centred = values - values.mean()
    square = float(centred @ centred)
    total, least = 1.0, 2.0 / np.sqrt(len(centred))
    for lag in range(1, min(50, len(centred) // 4) if square > 0.0 else 0):
        share = float(centred[lag:] @ centred[:-lag]) / square
        if share < least:
            break
        total += 2.0 * share
    return total


def _inverse(gram: Floats) -> Floats:
    """Return the inverse of a possibly singular matrix; undetermined parameters get a huge variance."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
    values, vectors = np.linalg.eigh(gram * np.outer(scale, scale))
    values = np.maximum(values, _FLAT * max(float(values[-1]), 1e-300))
    found: Floats = (vectors / values) @ vectors.T * np.outer(scale, scale)
    return found


def _instead(
    gram: Floats, kept: NDArray[np.intp], inverse: Floats, used: NDArray[np.intp]
) -> dict[int, list[int]]:
    """Return, by kept parameter, the removed parameters with about the same effect."""
    found: dict[int, list[int]] = {}
    for other in np.setdiff1d(used, kept).tolist():
        pull = inverse @ gram[kept, other]
        free = max(float(gram[other, other] - gram[other, kept] @ pull), 1e-12 * gram[other, other])
        alike = pull**2 / (free * np.diag(inverse) + pull**2)
        for at in kept[alike > _ALIKE**2].tolist():
            found.setdefault(at, []).append(other)
    return found
