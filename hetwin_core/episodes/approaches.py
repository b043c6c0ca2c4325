"""How near things came to each other during a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats

_TOUCHING_M = 2e-4


class Approach(NamedTuple):
    """The least distance of an object and something else, in m (negative: penetration), and when it was."""

    distance: float
    time_ns: int

    @property
    def touching(self) -> bool:
        """Whether they touched."""
        return self.distance <= _TOUCHING_M


def nearest_approaches(
    layout: Layout, when: NDArray[np.int64], rows: Floats
) -> Mapping[tuple[str, str], Approach]:
    """The nearest approach of each pair that a log has in its tables of proximity.

    Args:
        layout: the scene's layout.
        when: (m,) time of each row, in ns.
        rows: (m, 12) as `Snapshot.proximity` has them.

    Returns:
        (object, other) -> their nearest approach.
    """
    count = len(layout.entities)
    pairs = rows[:, :2]
    known = ((pairs >= 0) & (pairs < count) & (pairs == np.floor(pairs))).all(axis=1)
    known &= np.isfinite(rows[:, 2])
    rows, when = rows[known], when[known]
    order = np.lexsort((when, rows[:, 2]))
    keys = rows[order, 0].astype(np.int64) * count + rows[order, 1].astype(np.int64)
    unique, first = np.unique(keys, return_index=True)
    names = [entity.name for entity in layout.entities]
    return {
        (names[key // count], names[key % count]): Approach(
            float(rows[order[i], 2]), int(when[order[i]])
        )
        for key, i in zip(unique.tolist(), first.tolist(), strict=True)
    }
