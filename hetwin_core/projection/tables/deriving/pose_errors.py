"""Where believed poses are wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.projection.tables.deriving.book import Batch, Book
from hetwin_core.projection.tables.deriving.scene_index import SceneIndex
from hetwin_core.projection.tables.pose_tolerance import ANGLE, DISTANCE_M, distances
from hetwin_core.projection.tables.timeline import Times

LATE_NS = 600_000_000
"""Beliefs, and events of models, reach the log at most so long after their stamps [ns]."""


@dataclass(slots=True)
class PoseError:
    """A belief that is wrong for a while; see `BeliefError`."""

    entity: str
    from_ns: int
    believed_ns: int
    moved_ns: int
    distance: float = 0.0
    angle: float = 0.0
    to_ns: int | None = None


class PoseErrors:
    """Compares believed poses with the states, once no belief about these can come any more.

    Percepts are followed apart from other beliefs, as if they were the only ones.

    Args:
        index: of the scene.
        book: with the places of things.

    Attributes:
        found: (entity, whether of percepts) -> errors.
    """

    def __init__(self, index: SceneIndex, book: Book) -> None:
        self._index = index
        self._book = book
        self._waiting: list[tuple[Times, Floats]] = []
        self._chains: dict[tuple[str, bool], _Chain] = {}
        self._posed = {
            name: index.layout.range_of(index.roots.get(name, name), "pose").start
            for name in index.names
            if index.layout.has(index.roots.get(name, name), "pose")
        }
        self._columns = np.array(sorted(set(self._posed.values())), np.int64)

    @property
    def found(self) -> dict[tuple[str, bool], list[PoseError]]:
        """The errors so far."""
        return {key: chain.errors for key, chain in self._chains.items()}

    def believe(self, entity: str, is_percept: bool, time_ns: int, pose: tuple[float, ...]) -> None:
        """Take in a believed pose."""
        if entity not in self._posed:
            return
        chain = self._chains.get((entity, is_percept))
        if chain is None:
            column = int(np.searchsorted(self._columns, self._posed[entity]))
            chain = self._chains[entity, is_percept] = _Chain(entity, column, self._book)
        chain.add(time_ns, pose)

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
            for chain in self._chains.values():
                chain.judge(times[:count], poses[:count, chain.column])
            if count < len(times):
                self._waiting[0] = times[count:], poses[count:]
            else:
                self._waiting.pop(0)


@dataclass
class _Chain:
    """Beliefs about one entity, and where they are wrong."""

    entity: str
    column: int
    book: Book
    errors: list[PoseError] = field(default_factory=list)
    _times: list[int] = field(default_factory=list)
    _poses: list[tuple[float, ...]] = field(default_factory=list)
    _before: tuple[int, bool] = (-1, False)

    def add(self, time_ns: int, pose: tuple[float, ...]) -> None:
        self._times.append(time_ns)
        self._poses.append(pose)

    def judge(self, times: Times, poses: Floats) -> None:
        if not self._times or self._times[0] > times[-1]:
            return
        formed, believed = np.array(self._times, np.int64), np.array(self._poses)
        order = np.argsort(formed, kind="stable")
        formed, believed = formed[order], believed[order]
        which = np.searchsorted(formed, times, side="right") - 1
        known = which >= 0
        distance, angle = distances(poses, believed[np.maximum(which, 0)])
        wrong = known & ((distance > DISTANCE_M) | (angle > ANGLE))
        self._enter(times, wrong, distance, angle, formed[np.maximum(which, 0)], believed[which])
        keep = int(which[-1]) if which[-1] > 0 else 0
        self._times, self._poses = formed[keep:].tolist(), list(map(tuple, believed[keep:]))

    def _enter(
        self,
        times: Times,
        wrong: np.ndarray[tuple[int], np.dtype[np.bool_]],
        distance: Floats,
        angle: Floats,
        formed: Times,
        believed: Floats,
    ) -> None:
        last_formed, was_wrong = self._before
        cuts = np.flatnonzero(np.diff(wrong, prepend=was_wrong)).tolist()
        at = 0
        for cut in [*cuts, len(times)]:
            if was_wrong and cut > at:
                self._extend(slice(at, cut), distance, angle, formed)
            if cut == len(times):
                break
            if was_wrong:
                self.errors[-1].to_ns = int(times[cut])
            else:
                before = int(formed[cut - 1]) if cut else last_formed
                self._begin(int(times[cut]), int(formed[cut]), before, believed[cut])
            was_wrong, at = not was_wrong, cut
        self._before = int(formed[-1]), bool(wrong[-1])

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
