"""Statistics of runs: products, means, ratios of pairs, and inputs that are associated with an outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot, pi, prod, sqrt, tan
from statistics import fmean, stdev
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.model import Floats, Json
from hetwin_suite.study import probability

_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: 95 % of all values are within this many sigmas of the mean."""


class Chance(NamedTuple):
    """A probability with its 95 % confidence interval."""

    p: float
    low: float
    high: float


SURE = Chance(1.0, 1.0, 1.0)


def product(factors: Sequence[Chance]) -> Chance:
    """Return the product of probabilities; 1 if there are none."""
    found = prod(one.p for one in factors)
    down, up = [], []
    for number, factor in enumerate(factors):
        others = prod(other.p for place, other in enumerate(factors) if place != number)
        down.append((factor.p - factor.low) * others)
        up.append((factor.high - factor.p) * others)
    return Chance(found, max(0.0, found - hypot(*down)), min(1.0, found + hypot(*up)))


_P = 0.975
_TERMS = (
    (4.0, (1.0, 1.0)),
    (96.0, (3.0, 16.0, 5.0)),
    (384.0, (-15.0, 17.0, 19.0, 3.0)),
    (92160.0, (-945.0, -1920.0, 1482.0, 776.0, 79.0)),
)
"""Coefficients of the expansion of Student's quantile in 1 / degrees of freedom (Abramowitz and Stegun, 26.7.5).

Each row holds the divisor, and the factors of z, z^3, z^5 ...
"""


class Mean(NamedTuple):
    """A mean with its 95 % confidence interval.

    Attributes:
        mean: mean of the values; None without values.
        low: lower bound of the interval; None with fewer than two values.
        high: upper bound of the interval; None with fewer than two values.
        of: number of values.
    """

    mean: float | None
    low: float | None
    high: float | None
    of: int


def mean_of(values: Sequence[float]) -> Mean:
    """Return the mean with its 95 % confidence interval."""
    if not values:
        return Mean(None, None, None, 0)
    if all(value in (0.0, 1.0) for value in values):
        share = probability(round(sum(values)), len(values))
        return Mean(share.p, share.low, share.high, share.of)
    middle, reach = fmean(values), reach_of(values)
    if reach is None:
        return Mean(middle, None, None, len(values))
    return Mean(middle, middle - reach, middle + reach, len(values))


def reach_of(values: Sequence[float]) -> float | None:
    """Return the half width of Student's 95 % interval of the mean; None with fewer than two values."""
    count = len(values)
    return None if count < 2 else student(count - 1) * stdev(values) / sqrt(count)


def student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's distribution with `freedom` degrees of freedom, within 0.2 %."""
    if freedom == 1:
        return tan(pi * (_P - 0.5))
    if freedom == 2:
        return (2.0 * _P - 1.0) * sqrt(2.0 / (4.0 * _P * (1.0 - _P)))
    found = _Z
    for power, (divisor, factors) in enumerate(_TERMS, 1):
        term = sum(factor * _Z ** (2 * i + 1) for i, factor in enumerate(factors))
        found += term / divisor / freedom**power
    return found


RESAMPLES = 4000


def error_of(
    one: Sequence[float],
    base: Sequence[float],
    kinds: Sequence[str],
    seed: int,
    resamples: int = RESAMPLES,
) -> tuple[float, float, float]:
    """Return the relative difference of the sums of `one` and `base`, and its 95 % interval.

    Counts of the same state are paired: the interval is a bootstrap over states of the ratio of the sums,
    stratified by kind. All three are NaN if the sum of `base` is 0.

    Args:
        one: counts.
        base: counts of the same states.
        kinds: kind of each state.
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.
    """
    pairs = np.array([one, base], np.float64)
    if not pairs[1].sum() > 0:
        return float("nan"), float("nan"), float("nan")
    random = np.random.default_rng(seed)
    sums = np.zeros((2, resamples))
    for kind in sorted(set(kinds)):
        chosen = np.flatnonzero(np.array(kinds) == kind)
        drawn = random.choice(chosen, (resamples, len(chosen)))
        sums += pairs[:, drawn].sum(axis=2)
    shares = sums[0] / np.maximum(sums[1], 1.0) - 1.0
    low, high = np.percentile(shares, [2.5, 97.5])
    return float(pairs[0].sum() / pairs[1].sum() - 1.0), float(low), float(high)


_SIGNIFICANT = 3.0
"""Minimum strength of a reported association, in standard deviations under chance (exceeded by chance in 0.3 %)."""


Flags: TypeAlias = NDArray[np.bool_]


class Relation(NamedTuple):
    """An input that is associated with failure.

    Attributes:
        input: name of the input.
        strength: from 0 (independent of failure) to 1 (determines failure).
    """

    input: str
    strength: float


def related(inputs: Sequence[Mapping[str, Json]], failed: Sequence[bool]) -> list[Relation]:
    """Return the inputs that are associated with failure more strongly than by chance, the strongest first.

    The strength of a number is the rank-biserial correlation: of a failed and another run, the failed one has the
    larger number (or always the smaller one) in (1 + strength) / 2 of all pairs. The distance from the median is tried
    as well, and the larger strength counts.

    Args:
        inputs: inputs of each run, by name.
        failed: whether each run failed.
    """
    wrong: Flags = np.asarray(failed, bool)
    if not wrong.any() or wrong.all():
        return []
    names = dict.fromkeys(name for row in inputs for name in row)
    found = [Relation(name, _strength([row.get(name) for row in inputs], wrong)) for name in names]
    return sorted((one for one in found if one.strength > 0.0), key=lambda one: -one.strength)


def _strength(column: Sequence[Json], failed: Flags) -> float:
    """Return the strength of a column; 0 if it is within chance."""
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in column):
        names = list(dict.fromkeys(map(repr, column)))
        parts = [
            _rank_correlation(np.array([repr(v) == name for v in column], float), failed)
            for name in names
        ]
        return max(parts)
    values = np.asarray(column, float)
    return max(
        _rank_correlation(values, failed),
        _rank_correlation(np.abs(values - np.median(values)), failed),
    )


def _rank_correlation(values: Floats, failed: Flags) -> float:
    """Return the rank-biserial correlation of values and failure, without its sign; 0 if it is within chance."""
    ranks = _ranks(values)
    count, others = int(failed.sum()), int((~failed).sum())
    above = float(ranks[failed].sum()) - count * (count + 1) / 2
    strength = abs(2.0 * above / (count * others) - 1.0)
    by_chance = sqrt((count + others + 1) / (3.0 * count * others))
    return strength if strength > _SIGNIFICANT * by_chance else 0.0


def _ranks(values: Floats) -> Floats:
    """Return the ranks from 1; equal values share the middle of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - 0.5 * (counts - 1))[place]
