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


CERTAIN = Chance(1.0, 1.0, 1.0)


def product(factors: Sequence[Chance]) -> Chance:
    """Return the product of probabilities; 1 if there are none."""
    result = prod(one.p for one in factors)
    down, up = [], []
    for number, factor in enumerate(factors):
        others = prod(other.p for place, other in enumerate(factors) if place != number)
        down.append((factor.p - factor.low) * others)
        up.append((factor.high - factor.p) * others)
    return Chance(result, max(0.0, result - hypot(*down)), min(1.0, result + hypot(*up)))


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
    middle, half = fmean(values), half_width(values)
    if half is None:
        return Mean(middle, None, None, len(values))
    return Mean(middle, middle - half, middle + half, len(values))


def half_width(values: Sequence[float]) -> float | None:
    """Return the half width of Student's 95 % interval of the mean; None with fewer than two values."""
    count = len(values)
    return None if count < 2 else student_quantile(count - 1) * stdev(values) / sqrt(count)


def student_quantile(degrees_of_freedom: int) -> float:
    """Return the 97.5 % quantile of Student's distribution with these degrees of freedom, within 0.2 %."""
    if degrees_of_freedom == 1:
        return tan(pi * (_P - 0.5))
    if degrees_of_freedom == 2:
        return (2.0 * _P - 1.0) * sqrt(2.0 / (4.0 * _P * (1.0 - _P)))
    quantile = _Z
    for power, (divisor, factors) in enumerate(_TERMS, 1):
        term = sum(factor * _Z ** (2 * i + 1) for i, factor in enumerate(factors))
        quantile += term / divisor / degrees_of_freedom**power
    return quantile


RESAMPLES = 4000


def relative_difference(
    counts: Sequence[float],
    baseline: Sequence[float],
    kinds: Sequence[str],
    seed: int,
    resamples: int = RESAMPLES,
) -> tuple[float, float, float]:
    """Return the relative difference of the sums of `counts` and `baseline`, and its 95 % interval.

    Each state of the scene contributes a pair of counts. The interval comes from a bootstrap of the ratio of the sums
    that resamples the states within each kind. All three are NaN if the sum of `baseline` is 0.

    Args:
        counts: count of each state.
        baseline: count of each state to compare with.
        kinds: kind of each state.
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.
    """
    pairs = np.array([counts, baseline], np.float64)
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
"""Minimum strength of a reported association, in standard deviations of the null distribution.

Chance exceeds it in 0.3 % of cases."""


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

    The strength of a number is the absolute rank-biserial correlation. Pair each failed run with each successful one:
    in a fraction (1 + strength) / 2 of the pairs the failed run has the larger number, or in that fraction the smaller
    one. The distance from the median is tried as well, and the larger strength counts.

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
    """Return the strength of a column; 0 if it is not significant."""
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
    """Return the absolute rank-biserial correlation of values and failure; 0 if it is not significant."""
    ranks = _ranks(values)
    count, others = int(failed.sum()), int((~failed).sum())
    above = float(ranks[failed].sum()) - count * (count + 1) / 2
    strength = abs(2.0 * above / (count * others) - 1.0)
    standard_error = sqrt((count + others + 1) / (3.0 * count * others))
    return strength if strength > _SIGNIFICANT * standard_error else 0.0


def _ranks(values: Floats) -> Floats:
    """Return the ranks from 1; tied values get their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - 0.5 * (counts - 1))[place]
