"""Where believed poses are wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.tables.belief_errors import PoseError
from hetwin_core.episodes.tables.deriving.book import Batch, Book, Mask, SceneIndex
from hetwin_core.episodes.tables.poses import ANGLE, DISTANCE_M, Times, distances

LATE_NS = 600_000_000
"""Beliefs, and events of models, reach the log at most so long after their stamps [ns]."""


class PoseErrors:
    """Compares believed poses with the states, once no belief about these can come any more.

    Args:
        index: of the scene.
        book: with the places of things.

    Attributes:
        found: entity -> errors.
    """

    def __init__(self, index: SceneIndex, book: Book) -> None:
        self._index = index
        self._book = book
        self._waiting: list[tuple[Times, Floats]] = []
        self._chains: dict[str, _Chain] = {}
        self._posed = {
            name: index.layout.range_of(index.roots.get(name, name), "pose").start
            for name in index.names
            if index.layout.has(index.roots.get(name, name), "pose")
        }
        self._columns = np.array(sorted(set(self._posed.values())), np.int64)

    @property
    def found(self) -> dict[str, list[PoseError]]:
        """The errors so far."""
        return {key: chain.errors for key, chain in self._chains.items()}

    def believe(self, entity: str, times: Times, poses: Floats) -> None:
        """Take in believed poses.

        Args:
            entity: what they are about.
            times: (m,) when they were formed [ns].
            poses: (m, 7) in the world.
        """
        if entity not in self._posed:
            return
        chain = self._chains.get(entity)
        if chain is None:
            column = int(np.searchsorted(self._columns, self._posed[entity]))
            chain = self._chains[entity] = _Chain(entity, column, self._book)
        chain.add(times, poses)

    def update(self, batch: Batch) -> None:
        """Look at the states that follow."""
        if len(self._columns):
            columns = self._columns[:, None] + np.arange(7)
            self._waiting.append((batch.states.times, batch.states.values[:, columns]))
            self.settle(int(batch.states.times[-1]) - LATE_NS)

    def settle(self, until_ns: int) -> None:
        """Judge the states until a time."""
        while self._waiting:
            times, poses = self._waiting[0]
            count = int(np.searchsorted(times, until_ns, side="right"))
            if not count:
                return
            self._judge(times[:count], poses[:count])
            if count < len(times):
                self._waiting[0] = times[count:], poses[count:]
            else:
                self._waiting.pop(0)

    def _judge(self, times: Times, poses: Floats) -> None:
        """Compare states with what was believed then, about all entities at once."""
        chains = [chain for chain in self._chains.values() if chain.begins_by(int(times[-1]))]
        if not chains:
            return
        formed, believed, known = zip(*(chain.at(times) for chain in chains), strict=True)
        real = poses[:, [chain.column for chain in chains]]
        distance, angle = distances(real, np.stack(believed, axis=1))
        wrong = np.stack(known, axis=1) & ((distance > DISTANCE_M) | (angle > ANGLE))
        news = (wrong != wrong[:1]).any(axis=0) | wrong[0]
        for i, chain in enumerate(chains):
            if news[i] or chain.was_wrong:
                columns = (wrong[:, i], distance[:, i], angle[:, i], formed[i], believed[i])
                chain.enter(times, *columns)
            else:
                chain.go_on(formed[i])


@dataclass
class _Chain:
    """Beliefs about one entity, and where they are wrong."""

    entity: str
    column: int
    book: Book
    errors: list[PoseError] = field(default_factory=list)
    was_wrong: bool = False
    _times: Times = field(default_factory=lambda: np.empty(0, np.int64))
    _poses: Floats = field(default_factory=lambda: np.empty((0, 7)))
    _last_formed: int = -1

    def add(self, times: Times, poses: Floats) -> None:
        self._times = np.concatenate((self._times, times))
        self._poses = np.concatenate((self._poses, poses))
        if (np.diff(self._times) < 0).any():
            order = np.argsort(self._times, kind="stable")
            self._times, self._poses = self._times[order], self._poses[order]

    def begins_by(self, time_ns: int) -> bool:
        """Whether anything was believed by a time."""
        return len(self._times) > 0 and int(self._times[0]) <= time_ns

    def at(self, times: Times) -> tuple[Times, Floats, Mask]:
        """Return when the beliefs held at times were formed, their poses, and whether there were any."""
        which = np.searchsorted(self._times, times, side="right") - 1
        held = np.maximum(which, 0)
        found = self._times[held], self._poses[held], which >= 0
        self._times, self._poses = self._times[held[-1] :], self._poses[held[-1] :]
        return found

    def go_on(self, formed: Times) -> None:
        """Take in states in which no belief was wrong."""
        self._last_formed = int(formed[-1])

    def enter(
        self,
        times: Times,
        wrong: Mask,
        distance: Floats,
        angle: Floats,
        formed: Times,
        believed: Floats,
    ) -> None:
        """Take in states in which beliefs are wrong, or cease to be."""
        cuts = np.flatnonzero(np.diff(wrong, prepend=self.was_wrong)).tolist()
        is_wrong, at = self.was_wrong, 0
        for cut in [*cuts, len(times)]:
            if is_wrong and cut > at:
                self._extend(slice(at, cut), distance, angle, formed)
            if cut == len(times):
                break
            if is_wrong:
                self.errors[-1].to_ns = int(times[cut])
            else:
                before = int(formed[cut - 1]) if cut else self._last_formed
                self._begin(int(times[cut]), int(formed[cut]), before, believed[cut])
            is_wrong, at = not is_wrong, cut
        self._last_formed, self.was_wrong = int(formed[-1]), bool(wrong[-1])

    def _begin(self, time_ns: int, formed_ns: int, before_ns: int, believed: Floats) -> None:
        """Begin an error; the belief is wrong at once if the one before is not the same."""
        moved_ns = time_ns
        if formed_ns != before_ns:
            moved_ns = self._left(believed, time_ns)
        self.errors.append(PoseError(self.entity, time_ns, formed_ns, moved_ns))

    def _left(self, believed: Floats, time_ns: int) -> int:
        """When the entity left the place where it is believed to be; the given time if it never was there."""
        for stretch, pose in reversed(self.book.places[self.entity]):
            distance, angle = distances(pose, believed)
            if distance <= DISTANCE_M and angle <= ANGLE and stretch.from_ns <= time_ns:
                return time_ns if stretch.to_ns is None else min(stretch.to_ns, time_ns)
        return time_ns

    def _extend(self, part: slice, distance: Floats, angle: Floats, formed: Times) -> None:
        error = self.errors[-1]
        error.distance = max(error.distance, float(distance[part].max()))
        error.angle = max(error.angle, float(angle[part].max()))
        error.believed_ns = int(formed[part][-1])
