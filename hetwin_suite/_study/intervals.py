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


def probability(successes: int, trials: int) -> Probability:
    """Return the fraction `yes / of` with its Wilson interval; without trials, 0 with the interval from 0 to 1."""
    if trials == 0:
        return Probability(0.0, 0.0, 1.0, 0)
    fraction, z2 = successes / trials, _Z * _Z
    centre = (fraction + z2 / (2 * trials)) / (1 + z2 / trials)
    variance = fraction * (1 - fraction) / trials + z2 / (4 * trials * trials)
    half_width = _Z / (1 + z2 / trials) * sqrt(variance)
    low, high = max(0.0, centre - half_width), min(1.0, centre + half_width)
    return Probability(fraction, low, high, trials)
