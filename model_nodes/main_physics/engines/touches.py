"""What links of robots have touched since it was last asked, gathered over all steps."""

from __future__ import annotations

from math import nan
from typing import TypeAlias

import numpy as np

from hetwin_core.ensemble.scene.tables import TABLES, TOUCHES, no_rows
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.copied import Copied

Pair: TypeAlias = tuple[int, int]
"""The frame of a link, and that of what it touches."""


class Touches(Copied):
    """One row for each pair, as `Watch.touches`, with indices of frames instead of entities."""

    saved_fields = ("_rows",)

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
            return no_rows(TOUCHES)
        rows = np.array(list(self._rows.values())).reshape(-1, TABLES[TOUCHES].number)
        self._rows.clear()
        return rows
