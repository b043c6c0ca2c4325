"""How near things came to each other during a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
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
    layout: Layout, times: NDArray[np.int64], tables: Sequence[Floats]
) -> Mapping[tuple[str, str], Approach]:
    """The nearest approach of each pair that a log has in its tables of proximity.

    Args:
        layout: the scene's layout.
        times: (n,) in ns.
        tables: n tables as `Snapshot.proximity` has them, flat or with rows.

    Returns:
        (object, other) -> their nearest approach.
    """
    tables = [table.reshape(-1, PROXIMITY_COLUMNS)[:, :3] for table in tables]
    if not tables:
        return {}
    rows = np.concatenate(tables)
    when = np.repeat(times, [len(table) for table in tables])
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
