"""The interval of a product of independent probabilities, as Zou and Donner (2008) recover that of a sum.

How far the product may be from its estimate is the root of the sum of the squares of how far it is if only one factor
is at the end of its own interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, prod
from typing import NamedTuple


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
