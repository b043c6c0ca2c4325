"""Which draws go with failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats

SURE = 3.0
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
        inputs: of each run, by name.
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
    return strength if strength > SURE * by_chance else 0.0


def _ranks(values: Floats) -> Floats:
    """Return the ranks from 1, equal values with the middle of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - 0.5 * (counts - 1))[place]
