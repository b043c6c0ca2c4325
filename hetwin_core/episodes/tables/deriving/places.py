"""Where things stay, and when they leave."""

from __future__ import annotations

import math

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.tables.deriving.book import Batch, Book
from hetwin_core.episodes.tables.deriving.scene_index import Mask, SceneIndex
from hetwin_core.episodes.tables.occasion_list import Stretch
from hetwin_core.episodes.tables.timeline import Times

DISTANCE, ANGLE = 0.005, math.radians(5.0)
"""What is farther than this from where it came to rest has left its place [m, rad]."""
_COSINE = math.cos(ANGLE / 2)
_STILL_STATES = 10
"""States in which a thing must be still to be in a new place."""


class Places:
    """Enters ``loc`` for objects and robots' bases, and events ``loc_change`` when they leave a place.

    What a hand holds is in no place, though the hand may pause.

    Args:
        index: of the scene.
        ids: the entities of which `update` is told whether they are still.
        book: to enter them in.
    """

    def __init__(self, index: SceneIndex, ids: Times, book: Book) -> None:
        entities = index.layout.entities
        names = {index.layout.entity_id(link): robot for robot, link in index.roots.items()}
        self._things = [
            _Thing(names.get(i, entities[i].name), column, index.starts[i], book)
            for column, i in enumerate(ids.tolist())
            if entities[i].kind is EntityKind.OBJECT or i in names
        ]

    def update(self, batch: Batch, still: Mask, held: dict[str, Mask]) -> None:
        """Look at the states that follow.

        Args:
            batch: the states.
            still: (n, k) whether each of `ids` is still.
            held: object -> (n,) whether a hand holds it; objects that no hand holds are left out.
        """
        for thing in self._things:
            is_still = still[:, thing.column]
            if thing.name in held:
                is_still = is_still & ~held[thing.name]
            thing.update(batch, is_still)


class _Thing:
    def __init__(self, name: str, column: int, start: int, book: Book) -> None:
        self.name = name
        self.column = column
        self._columns = slice(int(start), int(start) + 7)
        self._book = book
        self._place: Floats | None = None
        self._stretch: Stretch | None = None
        self._still_for = 0
        self._begun = False

    def update(self, batch: Batch, still: Mask) -> None:
        times, poses = batch.states.times, batch.states.values[:, self._columns]
        if not self._begun:
            self._begun = True
            self._settle(int(times[0]), poses[0])
        at, end = 0, len(times)
        while at < end:
            if self._place is None:
                at = self._come_to_rest(times, poses, still, at)
            else:
                at = self._leave(times, poses, self._place, at)

    def _leave(self, times: Times, poses: Floats, place: Floats, at: int) -> int:
        """Look for the state that is away from the place; returns the number of that which follows."""
        step = poses[at:, :3] - place[:3]
        away = np.einsum("ij,ij->i", step, step) > DISTANCE**2
        away |= np.abs(poses[at:, 3:] @ place[3:]) < _COSINE
        if not away.any():
            return len(times)
        at += int(away.argmax())
        if self._stretch is not None:
            self._stretch.to_ns = int(times[at])
        self._book.happen(int(times[at]), "loc_change", {"object": self.name})
        self._place, self._still_for = None, 0
        return at

    def _come_to_rest(self, times: Times, poses: Floats, still: Mask, at: int) -> int:
        """Look for the state that ends a rest which is long enough; returns the number of that which follows."""
        for i in range(at, len(times)):
            self._still_for = self._still_for + 1 if still[i] else 0
            if self._still_for >= _STILL_STATES:
                self._settle(int(times[i]), poses[i])
                return i + 1
        return len(times)

    def _settle(self, time_ns: int, pose: Floats) -> None:
        self._place = pose.copy()
        self._stretch = self._book.begin_occasion("loc", self.name, "", time_ns)
        self._book.places[self.name].append((self._stretch, self._place))
