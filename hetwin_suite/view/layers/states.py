"""The states of a log at which layers look."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.episodes.tables.tables import Tables

PER_SECOND = 25.0
_MOST = 2000
"""A longer run is looked at less often."""


def snapshots(tables: Tables, most: int = _MOST) -> Iterator[tuple[float, Snapshot]]:
    """Yield times [s] and the scene then, from the first state to the last, in order.

    Args:
        tables: of the run.
        most: how many.
    """
    span_ns = tables.known_until_ns - tables.start_ns
    count = min(int(span_ns / 1e9 * PER_SECOND) + 1, most)
    last = -1
    for time_ns in np.linspace(tables.start_ns, tables.known_until_ns, count).astype(np.int64):
        snapshot = tables.poses.snapshot(int(time_ns))
        if snapshot.time_ns != last:
            last = snapshot.time_ns
            yield last / 1e9, snapshot
