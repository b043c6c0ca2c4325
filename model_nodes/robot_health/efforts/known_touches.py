"""When the robot began or ceased to touch what the scene knows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Watch
from model_nodes.robot_health.hands import is_of_hand

TOUCHING = 0.001
"""What is nearer is touched [m]."""
CHATTER_S = 0.5
"""A contact that begins again after a shorter time has not ceased."""
KEPT_S = 4.0
"""Contacts are remembered for so long [s]."""


class KnownTouches:
    """Remembers what the main model reported, and finds in it when contacts of the robot's links changed.

    It is asked rarely, so that only then the reports are looked at.

    Args:
        layout: the scene's.
    """

    def __init__(self, layout: Layout) -> None:
        self._is_link = np.array([e.kind is EntityKind.LINK for e in layout.entities], np.bool_)
        self._is_of_hand = is_of_hand(layout)
        self._reports: deque[tuple[int, Floats, Floats]] = deque()

    def update(self, time_ns: int, proximity: Floats, watch: Watch) -> None:
        """Add what touches at a time."""
        self._reports.append((time_ns, proximity[:, :3].copy(), watch.clearances[:, :3].copy()))
        if time_ns - self._reports[0][0] > KEPT_S * 1e9:
            self._reports.popleft()

    def changed(self, from_ns: int, to_ns: int, *, grips: bool) -> bool:
        """Whether a contact began or ended within a span of the last seconds.

        Args:
            from_ns, to_ns: the span [ns].
            grips: whether contacts of hands with objects count.
        """
        changes = self._changes(from_ns, to_ns, grips)
        return any(from_ns <= change <= to_ns for change in changes)

    def _changes(self, from_ns: int, to_ns: int, grips: bool) -> Iterator[int]:
        """When contacts began and ended about a span [ns]; those of its first report began before."""
        chatter_ns = round(CHATTER_S * 1e9)
        last_ns: dict[tuple[int, int], int] = {}
        first_ns = newest_ns = self._reports[0][0] if self._reports else 0
        for time_ns, objects, bodies in self._reports:
            if not from_ns - chatter_ns <= time_ns <= to_ns + chatter_ns:
                continue
            newest_ns = time_ns
            for pair in {*self._pairs(objects, grips), *self._pairs(bodies, grips=True)}:
                before_ns = last_ns.get(pair)
                if before_ns is not None and time_ns - before_ns > chatter_ns:
                    yield before_ns
                if time_ns > first_ns and (before_ns is None or time_ns - before_ns > chatter_ns):
                    yield time_ns
                last_ns[pair] = time_ns
        yield from (last for last in last_ns.values() if last < newest_ns)

    def _pairs(self, table: Floats, grips: bool) -> list[tuple[int, int]]:
        """The pairs of a table (entity, entity, distance) that touch, with a link of the robot."""
        if not len(table):
            return []
        entities = table[:, :2].astype(np.intp)
        counts = self._is_link if grips else self._is_link & ~self._is_of_hand
        touches = counts[entities].any(axis=1) & (table[:, 2] <= TOUCHING)
        return [(a, b) for a, b in entities[touches].tolist()]
