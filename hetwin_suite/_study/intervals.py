"""The probability of an outcome, estimated from trials, with its Wilson interval."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

_Z = 1.959963984540054
"""Half width of the central 95 % interval of a normal distribution, in standard deviations."""


class Probability(NamedTuple):
    """An estimated probability.

    Attributes:
        p: fraction of the trials with the outcome.
        low: lower bound at a confidence of 95 %.
        high: upper bound at a confidence of 95 %.
        of: number of trials.
    """

    p: float
    low: float
    high: float
    of: int


def probability(yes: int, of: int) -> Probability:
    """Return the fraction `yes / of` with its Wilson interval; without trials, 0 with the interval from 0 to 1."""
    if of == 0:
        return Probability(0.0, 0.0, 1.0, 0)
    share, z2 = yes / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    reach = _Z / (1 + z2 / of) * sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return Probability(share, max(0.0, middle - reach), min(1.0, middle + reach), of)
