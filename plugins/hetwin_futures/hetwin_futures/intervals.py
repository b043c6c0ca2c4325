"""Intervals of what runs count: products, means, ratios of pairs, and what goes with an outcome."""

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
"""A normal number is nearer to the mean than so many sigmas in 95 of 100 cases."""


class Chance(NamedTuple):
    """A probability and its interval at a confidence of 95 %."""

    p: float
    low: float
    high: float


SURE = Chance(1.0, 1.0, 1.0)


def product(factors: Sequence[Chance]) -> Chance:
    """Return the product of probabilities; of none, certainty."""
    found = prod(one.p for one in factors)
    down, up = [], []
    for number, one in enumerate(factors):
        others = prod(other.p for place, other in enumerate(factors) if place != number)
        down.append((one.p - one.low) * others)
        up.append((one.high - one.p) * others)
    return Chance(found, max(0.0, found - hypot(*down)), min(1.0, found + hypot(*up)))


_P = 0.975
_TERMS = (
    (4.0, (1.0, 1.0)),
    (96.0, (3.0, 16.0, 5.0)),
    (384.0, (-15.0, 17.0, 19.0, 3.0)),
    (92160.0, (-945.0, -1920.0, 1482.0, 776.0, 79.0)),
)
"""Of the expansion of Student's quantile in 1 / degrees of freedom (Abramowitz and Stegun, 26.7.5): the divisor, and
the factors of z, z^3, z^5 ..."""


class Mean(NamedTuple):
    """A mean.

    Attributes:
        mean: mean of the values; None of none.
        low: low of the interval at a confidence of 95 %; None if too few values say nothing about it.
        high: of it.
        of: how many values.
    """

    mean: float | None
    low: float | None
    high: float | None
    of: int


def mean_of(values: Sequence[float]) -> Mean:
    """Return the mean with its interval."""
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
    """Return how far Student's interval reaches from the mean; None of fewer than two values."""
    count = len(values)
    return None if count < 2 else student(count - 1) * stdev(values) / sqrt(count)


def student(freedom: int) -> float:
    """Return the number below which 97.5 % of Student's distribution lie, within 0.2 % of it."""
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
    stratified by kind. All are not a number where `base` counts nothing.

    Args:
        one: counts.
        base: counts of the same states.
        kinds: kinds of the states.
        seed: seed of the bootstrap.
        resamples: resamples of the bootstrap.
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
"""A relation is told if chance alone would make one as strong with a probability of about 0.3 %: so many sigmas."""


Flags: TypeAlias = NDArray[np.bool_]


class Related(NamedTuple):
    """An input that goes with failure.

    Attributes:
        input: its name.
        strength: 0: it says nothing about failure; 1: it says all.
    """

    input: str
    strength: float


def related(inputs: Sequence[Mapping[str, Json]], failed: Sequence[bool]) -> list[Related]:
    """Return the inputs that go with failure more than chance would make them, the strongest first.

    The strength of a number is how well it tells the failed runs from the others: that of two runs, a failed one and
    another, the failed one has the larger number in (1 + strength) / 2 of all cases, or the smaller one; or it is
    further from the middle of all.

    Args:
        inputs: inputs of each run, by name.
        failed: whether it failed.
    """
    wrong: Flags = np.asarray(failed, bool)
    if not wrong.any() or wrong.all():
        return []
    names = dict.fromkeys(name for row in inputs for name in row)
    found = [Related(name, _strength([row.get(name) for row in inputs], wrong)) for name in names]
    return sorted((one for one in found if one.strength > 0.0), key=lambda one: -one.strength)


def _strength(column: Sequence[Json], failed: Flags) -> float:
    """Return how strongly a column goes with failure; 0 if chance alone may have made it so."""
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in column):
        names = list(dict.fromkeys(map(repr, column)))
        parts = [
            _apart(np.array([repr(v) == name for v in column], float), failed) for name in names
        ]
        return max(parts)
    values = np.asarray(column, float)
    return max(_apart(values, failed), _apart(np.abs(values - np.median(values)), failed))


def _apart(values: Floats, failed: Flags) -> float:
    """Return how far values tell failed runs from others; 0 if not more than by chance."""
    ranks = _ranks(values)
    count, others = int(failed.sum()), int((~failed).sum())
    above = float(ranks[failed].sum()) - count * (count + 1) / 2
    strength = abs(2.0 * above / (count * others) - 1.0)
    by_chance = sqrt((count + others + 1) / (3.0 * count * others))
    return strength if strength > _SIGNIFICANT * by_chance else 0.0


def _ranks(values: Floats) -> Floats:
    """Return the ranks from 1, equal values with the middle of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - 0.5 * (counts - 1))[place]
