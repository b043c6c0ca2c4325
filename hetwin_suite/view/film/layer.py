"""Data of a film beside bodies: rows of numbers over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats

_STEPS, _LOWEST = 65535, -32768
"""Numbers are kept in 16 bits, each column over its own range."""


@dataclass(frozen=True)
class Layer:
    """Rows of numbers that hold from one time to the next.

    Attributes:
        name: e.g. ``contacts``.
        columns: names of the columns.
        times: (n,) when rows are replaced [s], rising.
        begins: (n + 1,) the first row of each time; the last number is that of all rows.
        numbers: (rows, columns) the rows; indices of bodies, lengths [m], forces [N].
    """

    name: str
    columns: tuple[str, ...]
    times: Floats
    begins: NDArray[np.uint32]
    numbers: Floats

    @classmethod
    def of(
        cls, name: str, columns: tuple[str, ...], moments: Iterable[tuple[float, Floats]]
    ) -> Layer:
        """Return the layer with these rows.

        Args:
            name: of the layer.
            columns: their names.
            moments: times [s] and the (k, columns) rows from then on, in order; repetitions are kept once.
        """
        times: list[float] = []
        rows = [np.empty((0, len(columns)))]
        for time, known in moments:
            if not times or not np.array_equal(known, rows[-1]):
                times.append(time)
                rows.append(known)
        begins = np.cumsum([0, *(len(part) for part in rows[1:])]).astype(np.uint32)
        return cls(name, columns, np.array(times, np.float64), begins, np.concatenate(rows))

    @property
    def empty(self) -> bool:
        """Whether it never shows anything."""
        return not len(self.numbers)

    def at(self, time: float) -> Floats:
        """Return the (k, columns) rows at a time [s]; none before the first."""
        i = int(np.searchsorted(self.times, time, side="right")) - 1
        if i < 0:
            return self.numbers[:0]
        return self.numbers[self.begins[i] : self.begins[i + 1]]


def layer_header(layer: Layer, place: Callable[[NDArray[Any]], dict[str, Any]]) -> dict[str, Any]:
    """Return the entry of a layer in a film's header.

    Args:
        layer: the layer.
        place: puts an array behind the header, and returns its entry.
    """
    width = len(layer.columns)
    low = np.zeros(width) if layer.empty else layer.numbers.min(axis=0)
    high = np.zeros(width) if layer.empty else layer.numbers.max(axis=0)
    step = np.where(high > low, (high - low) / _STEPS, 1.0)
    counted = (np.rint((layer.numbers - low) / step) + _LOWEST).astype(np.int16)
    return {
        "name": layer.name,
        "columns": list(layer.columns),
        "low": low.tolist(),
        "step": step.tolist(),
        "times": place(layer.times),
        "begins": place(layer.begins),
        "numbers": place(counted.T),
    }
