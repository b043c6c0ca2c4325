"""Thresholds that decide, and the moments of an episode at which they were compared with something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hetwin_suite.model import Floats

Moments: TypeAlias = Floats
"""(n, thresholds) what was compared at n moments; of these only those count that no other is below in all columns."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number that something is compared with.

    Attributes:
        name: of what is compared, for a person.
        value: value of the number.
        least: whether what is compared must be at least the number, not at most.
    """

    name: str
    value: float
    least: bool = False

    def signed(self, value: float) -> float:
        """Return a value so that it must be at most the signed number."""
        return -value if self.least else value


def holds(moments: Moments, bounds: Floats) -> bool:
    """Whether at any moment everything was within its signed bound."""
    return bool(np.any(np.all(moments <= bounds, axis=1)))


def lowest(rows: Sequence[Sequence[float]], columns: int) -> Moments:
    """Return the moments of which none other is at most as large in all columns.

    Whether any moment is within some bounds, whatever they are, is decided by these alone.
    """
    kept: list[Floats] = []
    array = np.array(rows, float).reshape(-1, columns)
    for row in array[np.lexsort(array.T[::-1])]:
        if not any(np.all(other <= row) for other in kept):
            kept.append(row)
    return np.array(kept).reshape(-1, columns)
