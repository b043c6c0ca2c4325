"""What links of robots have touched since it was last asked, gathered over all steps."""

from __future__ import annotations

from math import nan
from typing import TypeAlias

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import TOUCH_COLUMNS, no_touches

Pair: TypeAlias = tuple[int, int]
"""The frame of a link, and that of what it touches."""


class Touches:
    """One row for each pair, as `Watch.touches`, with indices of frames instead of entities."""

    def __init__(self) -> None:
        self._rows: dict[Pair, list[float]] = {}

    def note(self, pair: Pair, time_ns: int, depth: float) -> bool:
        """Note that a pair touches; returns whether it was never deeper [m], so that `deepest` is to follow."""
        row = self._rows.get(pair)
        if row is None:
            self._rows[pair] = [*pair, time_ns, time_ns, depth, nan, nan, nan, nan]
            return True
        row[3] = time_ns
        if depth <= row[4]:
            return False
        row[4] = depth
        return True

    def deepest(self, pair: Pair, force: float, x: float, y: float, z: float) -> None:
        """Set the normal force [N] (NaN: unknown) and the point [m] where a pair is deepest."""
        self._rows[pair][5:] = (force, x, y, z)

    def take(self) -> Floats:
        """Return (k, 9) the rows, and forget them."""
        if not self._rows:
            return no_touches()
        rows = np.array(list(self._rows.values())).reshape(-1, TOUCH_COLUMNS)
        self._rows.clear()
        return rows

    def save(self) -> object:
        """Return the rows for `restore`."""
        return {pair: list(row) for pair, row in self._rows.items()}

    def restore(self, state: object) -> None:
        """Restore saved rows."""
        assert isinstance(state, dict)
        self._rows = {pair: list(row) for pair, row in state.items()}
