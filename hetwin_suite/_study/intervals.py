"""The share of trials in which something came about, with its interval."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

_Z = 1.959963984540054
"""A normal number is nearer to the mean than so many sigmas in 95 of 100 cases."""


class Probability(NamedTuple):
    """How often something came about.

    Attributes:
        p: the share.
        low: of the interval at a confidence of 95 %.
        high: of it.
        of: how many trials.
    """

    p: float
    low: float
    high: float
    of: int


def probability(yes: int, of: int) -> Probability:
    """Return the share with its interval; of no trials, 0 with the interval from 0 to 1."""
    if of == 0:
        return Probability(0.0, 0.0, 1.0, 0)
    share, z2 = yes / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    reach = _Z / (1 + z2 / of) * sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return Probability(share, max(0.0, middle - reach), min(1.0, middle + reach), of)
