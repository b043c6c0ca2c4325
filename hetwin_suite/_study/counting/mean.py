"""The interval of a mean: that of a share where all values are 0 or 1, else Student's."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt, tan
from statistics import fmean, stdev
from typing import NamedTuple

from hetwin_suite._study.counting.wilson import probability

_P = 0.975
_Z = 1.959963984540054
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
        mean: of the values; None of none.
        low: of the interval at a confidence of 95 %; None if too few values say nothing about it.
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
