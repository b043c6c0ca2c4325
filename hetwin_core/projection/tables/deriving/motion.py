"""Which entities move."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.projection.tables.deriving.book import Batch, Book, StretchesByKey
from hetwin_core.projection.tables.deriving.scene_index import SceneIndex
from hetwin_core.projection.tables.deriving.spans import Spans

SPEED, TURN = 0.01, 0.05
"""An entity that is faster moves [m/s, rad/s]; it stops when it is slower than half of that."""
ABSENT = 10
_CLEAR = 3
_STATIC = (EntityKind.STATIC, EntityKind.CONCEPT)


class Motion:
    """Enters ``moving``.

    Args:
        index: of the scene.
        book: to enter it in.
    """

    def __init__(self, index: SceneIndex, book: Book) -> None:
        moving = [
            i
            for i, entity in enumerate(index.layout.entities)
            if entity.kind not in _STATIC and index.starts[i] >= 0
        ]
        self._ids = np.array(moving, np.int64)
        self._twists = index.starts[self._ids][:, None] + np.arange(7, 13)
        self._spans = Spans(absent=ABSENT, clear=_CLEAR)
        self._stretches = StretchesByKey("moving", lambda key: (index.names[key], ""), book)

    @property
    def known(self) -> bool:
        """Whether anything can move."""
        return len(self._ids) > 0

    def update(self, batch: Batch) -> None:
        """Look at the states that follow."""
        twists = batch.states.values[:, self._twists]
        squares = twists * twists
        speed = squares[:, :, :3].sum(axis=2) / SPEED**2
        turn = squares[:, :, 3:].sum(axis=2) / TURN**2
        share = np.maximum(speed, turn)
        state, entity = np.nonzero(share >= 0.25)
        changes = self._spans.update(
            self._ids[entity], state + batch.first, share[state, entity] >= 1.0, batch.newest
        )
        self._stretches.enter(changes, batch.timeline)
