"""Which entities move."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.rotations import angles_between
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.tables.deriving.book import Batch, Book, StretchesByKey
from hetwin_core.episodes.tables.deriving.scene_index import SceneIndex
from hetwin_core.episodes.tables.deriving.spans import Mask, Spans
from hetwin_core.episodes.tables.timeline import Times

SPEED, TURN = 0.01, 0.05
"""An entity that is faster on average moves [m/s, rad/s]; it has stopped when it is slower than half of that."""
WINDOW_NS = 100_000_000
"""Time over which the average is taken: a recording's noise is no motion."""
WINDOW_STATES = 10
"""Most states over which it is taken."""
ABSENT = 3
_STATIC = (EntityKind.STATIC, EntityKind.CONCEPT)


class Motion:
    """Enters ``moving``, and says of each state what moves.

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
        self.ids = np.array(moving, np.int64)
        self._columns = index.starts[self.ids][:, None] + np.arange(7)
        self._spans = Spans(absent=ABSENT)
        self._stretches = StretchesByKey("moving", lambda key: (index.names[key], ""), book)
        self._times: Times = np.empty(0, np.int64)
        self._poses: Floats = np.empty((0, len(moving), 7))

    @property
    def known(self) -> bool:
        """Whether anything can move."""
        return len(self.ids) > 0

    def update(self, batch: Batch) -> Mask:
        """Look at the states that follow; returns (n, k) whether each of `ids` is still in each of them."""
        share = self._share(batch)
        state, entity = np.nonzero(share >= 0.5)
        changes = self._spans.update(
            self.ids[entity], state + batch.first, share[state, entity] >= 1.0, batch.newest
        )
        self._stretches.enter(changes, batch.timeline)
        return share < 0.5

    def _share(self, batch: Batch) -> Floats:
        """(n, k) average speed or turn as a share of what counts as motion."""
        new = batch.states.values[:, self._columns]
        times = np.concatenate((self._times, batch.states.times))
        poses = np.concatenate((self._poses, new))
        now = np.arange(len(self._times), len(times))
        oldest = np.searchsorted(times, times[now] - WINDOW_NS)
        before = np.maximum(oldest, np.maximum(now - WINDOW_STATES, 0))
        seconds = np.maximum(times[now] - times[before], WINDOW_NS) / 1e9
        step = poses[now, :, :3] - poses[before, :, :3]
        angle = angles_between(poses[now, :, 3:], poses[before, :, 3:])
        distance = np.sqrt(np.einsum("nki,nki->nk", step, step))
        self._times, self._poses = times[-WINDOW_STATES:], poses[-WINDOW_STATES:]
        found: Floats = np.maximum(distance / SPEED, angle / TURN) / seconds[:, None]
        return found
