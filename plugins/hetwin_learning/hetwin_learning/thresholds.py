"""Thresholds, and the moments of an episode at which quantities were compared with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hetwin_suite.model import Floats

Moments: TypeAlias = Floats
"""(n, thresholds) compared quantities at n moments; moments that another one undercuts in all columns are dropped."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number that a quantity is compared with.

    Attributes:
        name: name of the compared quantity.
        value: value of the number.
        is_lower_bound: whether the quantity must be at least the number; otherwise at most.
    """

    name: str
    value: float
    is_lower_bound: bool = False

    def signed(self, value: float) -> float:
        """Return a value with the sign by which it must be at most the signed threshold."""
        return -value if self.is_lower_bound else value


def any_within(moments: Moments, bounds: Floats) -> bool:
    """Whether all quantities were within their signed bounds at any one moment."""
    return bool(np.any(np.all(moments <= bounds, axis=1)))


def pareto_front(rows: Sequence[Sequence[float]], columns: int) -> Moments:
    """Return the moments that no other moment undercuts in all columns (the Pareto front).

    They alone decide whether any moment is within given bounds.
    """
    front: list[Floats] = []
    array = np.array(rows, float).reshape(-1, columns)
    for row in array[np.lexsort(array.T[::-1])]:
        if not any(np.all(other <= row) for other in front):
            front.append(row)
    return np.array(front).reshape(-1, columns)
