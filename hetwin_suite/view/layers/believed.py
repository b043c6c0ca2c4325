"""Where the robot believed objects to be."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hetwin_core.ensemble.beliefs import LOC
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.tables.rows import Belief
from hetwin_core.episodes.tables.tables import Tables

COLUMNS = ("entity", "x", "y", "z", "qx", "qy", "qz", "qw", "wrong")
_IN_PAGE = [0, 1, 2, 4, 5, 6, 3]
"""A page writes a quaternion as x, y, z, w; the log as w, x, y, z."""
_OFTEN_NS = 50_000_000
"""Beliefs that change more often are shown this often."""


def believed(tables: Tables) -> Iterator[tuple[float, Floats]]:
    """Yield times [s] and the (n, 9) believed poses from then on: the entity, its pose, whether that was wrong."""
    rows = [row for row in tables.beliefs.find(LOC) if row.pose is not None]
    times = {row.span.from_ns for row in rows} | {row.span.to_ns for row in rows}
    for error in tables.belief_errors:
        if error.fluent == LOC:
            times |= {error.span.from_ns, error.span.to_ns}
    current: dict[str, Belief] = {}
    left, last = iter([*rows, None]), -_OFTEN_NS
    waiting = next(left)
    for time_ns in sorted(times):
        while waiting is not None and waiting.span.from_ns <= time_ns:
            current[waiting.a] = waiting
            waiting = next(left)
        if time_ns - last >= _OFTEN_NS or waiting is None:
            last = time_ns
            yield time_ns / 1e9, _rows(tables, current, time_ns)


def _rows(tables: Tables, current: dict[str, Belief], time_ns: int) -> Floats:
    wrong = {
        error.a
        for error in tables.belief_errors
        if error.fluent == LOC and error.span.from_ns <= time_ns < error.span.to_ns
    }
    found = [
        [
            float(tables.layout.entity_id(name)),
            *np.asarray(belief.pose)[_IN_PAGE].tolist(),
            float(name in wrong),
        ]
        for name, belief in current.items()
        if belief.span.from_ns <= time_ns < belief.span.to_ns and tables.layout.entity_id(name) >= 0
    ]
    return np.array(found).reshape(-1, len(COLUMNS))
