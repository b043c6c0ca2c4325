"""When the robot began or ceased to touch what the scene knows."""

from __future__ import annotations

from collections import deque

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Watch

TOUCHING = 0.001
"""What is nearer is touched [m]."""
CHATTER_S = 0.5
"""A contact that begins again after a shorter time has not ceased."""
KEPT_S = 5.0
"""Changes are remembered for so long [s]."""


class KnownTouches:
    """Remembers when contacts of the robot's links changed, from the main model's distances.

    Args:
        layout: the scene's.
    """

    def __init__(self, layout: Layout) -> None:
        self._is_link = np.array([e.kind is EntityKind.LINK for e in layout.entities], np.bool_)
        self._last_ns: dict[tuple[int, int], int] = {}
        self._changes_ns: deque[int] = deque()
        self._now_ns = 0

    def update(self, time_ns: int, proximity: Floats, watch: Watch | None) -> None:
        """Add what touches at a time."""
        self._now_ns = time_ns
        pairs = self._pairs(proximity)
        if watch is not None and len(watch.clearances):
            near = watch.clearances[:, 2] <= TOUCHING
            pairs += [(int(a), int(b)) for a, b in watch.clearances[near, :2].tolist()]
        if not pairs and not self._last_ns:
            return
        for pair in pairs:
            if pair not in self._last_ns:
                self._changes_ns.append(time_ns)
            self._last_ns[pair] = time_ns
        self._forget(time_ns)

    def changed(self, from_ns: int, to_ns: int) -> bool:
        """Whether a contact began or ended within a span of the last seconds."""
        ended = [last for last in self._last_ns.values() if last < self._now_ns]
        return any(from_ns <= change <= to_ns for change in (*self._changes_ns, *ended))

    def _forget(self, time_ns: int) -> None:
        chattered = time_ns - round(CHATTER_S * 1e9)
        for pair, last in list(self._last_ns.items()):
            if last < chattered:
                del self._last_ns[pair]
                self._changes_ns.append(last)
        while self._changes_ns and time_ns - self._changes_ns[0] > KEPT_S * 1e9:
            self._changes_ns.popleft()

    def _pairs(self, proximity: Floats) -> list[tuple[int, int]]:
        if not len(proximity):
            return []
        entities = proximity[:, :2].astype(np.intp)
        touches = self._is_link[entities].any(axis=1) & (proximity[:, 2] <= TOUCHING)
        return [(a, b) for a, b in entities[touches].tolist()]
