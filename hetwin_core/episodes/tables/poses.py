"""Poses and other values of a log, read from it on demand."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.poses import angles_between
from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.episodes.following.log_file import Place
from hetwin_core.episodes.following.states import States
from hetwin_core.episodes.tables.rows import Interval

DISTANCE_M = 0.02
"""Maximum distance of poses that count as equal [m]."""
ANGLE = math.radians(10.0)
"""Maximum angle between poses that count as equal [rad]."""


def distances(poses: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Return (n,) distances [m] and angles [rad] of (n, 7) poses from others, (n, 7) or (7,)."""
    step = poses[..., :3] - others[..., :3]
    return np.sqrt((step * step).sum(axis=-1)), angles_between(poses[..., 3:], others[..., 3:])


def root_links(layout: Layout) -> dict[str, str]:
    """Return robot -> root link, for robots without a pose of their own."""
    robots = {
        robot.name
        for robot in layout.of_kind(EntityKind.ROBOT)
        if not layout.has(robot.name, POSE.name)
    }
    roots: dict[str, str] = {}
    for link in layout.of_kind(EntityKind.LINK):
        if not link.parent and link.owner in robots and layout.has(link.name, POSE.name):
            roots.setdefault(link.owner, link.name)
    return roots


Times = NDArray[np.int64]


class Timeline:
    """The growing sequence of states' times, with lookups of times by number and numbers by time."""

    def __init__(self) -> None:
        self._buffer: Times = np.empty(1024, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def times(self) -> Times:
        """(n,) all times [ns]."""
        return self._buffer[: self._count]

    def add(self, times: Times) -> None:
        """Add the times of the next states."""
        count = self._count + len(times)
        if count > len(self._buffer):
            larger = np.empty(max(count, 2 * len(self._buffer)), np.int64)
            larger[: self._count] = self.times
            self._buffer = larger
        self._buffer[self._count : count] = times
        self._count = count

    def time(self, number: int) -> int:
        """Return the time of a state [ns]."""
        return int(self._buffer[number])

    def number(self, time_ns: int) -> int:
        """Return the number of the last state that is not later; 0 for times before the first."""
        return max(0, int(np.searchsorted(self.times, time_ns, side="right")) - 1)


_MAX_CHUNKS = 8
"""Number of chunks that are kept decoded, of about a megabyte each."""


class Piece(NamedTuple):
    """A chunk of states.

    Attributes:
        first: number of its first state in the log.
        place: location of the chunk in the file.
    """

    first: int
    place: Place


class LogPoses:
    """Reads states from the chunks of a log, and caches the last few chunks.

    Args:
        states_at: returns the states of the chunk at a location.
        pieces: all chunks with states, in order.
        timeline: times of all states.
        layout: layout of the scene.
        models: names of the models.
    """

    def __init__(
        self,
        states_at: Callable[[Place], States],
        pieces: Sequence[Piece],
        timeline: Timeline,
        layout: Layout,
        models: tuple[str, ...],
    ) -> None:
        self._states_at = states_at
        self._pieces, self._timeline = pieces, timeline
        self._layout, self._models = layout, models
        self._decoded: OrderedDict[int, States] = OrderedDict()
        self._roots = root_links(layout)

    def at(self, entity: str, time_ns: int) -> tuple[int, Floats]:
        """Return the time of the last state that is not later [ns], and pose and twist (13,) in the world.

        Raises:
            KeyError: if the scene has no such entity with a pose.
        """
        return self.value(self._pose_entity(entity), POSE.name, time_ns)

    def during(self, entity: str, span: Interval) -> tuple[Floats, Floats]:
        """Return (n,) times [ns] and (n, 13) poses and twists of the states in an interval, and of the one before it.

        Raises:
            KeyError: if the scene has no such entity with a pose.
        """
        columns = self._layout.range_of(self._pose_entity(entity), POSE.name)
        first = self._timeline.number(span.from_ns)
        end = max(first, self._timeline.number(span.to_ns - 1)) + 1
        found = [values[:, columns] for _, values in self._between(first, end)]
        times = self._timeline.times[first:end].astype(np.float64)
        return times, np.concatenate([np.empty((0, POSE.size)), *found])

    def value(self, entity: str, attribute: str, time_ns: int) -> tuple[int, Floats]:
        """Return the time of the last state that is not later [ns], and an attribute's value.

        Raises:
            KeyError: if the scene has no such attribute.
        """
        columns = self._layout.range_of(entity, attribute)
        row = self.row(time_ns)
        states, i = self._state(row)
        return self._timeline.time(row), states.values[i, columns].copy()

    def row(self, time_ns: int) -> int:
        """Return the number of the last state that is not later, counted from 0; 0 for times before the first."""
        return self._timeline.number(time_ns)

    def snapshot(self, time_ns: int) -> Snapshot:
        """Return the scene of the last state that is not later; its arrays must not be changed."""
        states, i = self._state(self.row(time_ns))
        return Snapshot(
            self._layout,
            self._models,
            int(states.times[i]),
            states.values[i],
            states.owners[i],
            states.parents[i],
            proximity_tables(states.near(i)),
        )

    def states(self, span: Interval) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        """Iterate over the log's chunks: (n,) times [ns] and (n, layout.size) all values of the states in an interval.

        Every chunk is decoded once; the arrays are valid until the next one.
        """
        first, end = np.searchsorted(self._timeline.times, (span.from_ns, span.to_ns)).tolist()
        yield from self._between(first, end)

    def _between(self, first: int, end: int) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        """Iterate over the states from number `first` to before `end`, chunk by chunk."""
        for number in range(self._piece_of(first), len(self._pieces)):
            begin = self._pieces[number].first
            if begin >= end:
                return
            part = slice(max(0, first - begin), end - begin)
            states = self._states(number)
            yield states.times[part], states.values[part]

    def _pose_entity(self, entity: str) -> str:
        return self._roots.get(entity, entity)

    def _piece_of(self, row: int) -> int:
        return max(0, bisect_right(self._pieces, row, key=lambda piece: piece.first) - 1)

    def _state(self, row: int) -> tuple[States, int]:
        number = self._piece_of(row)
        return self._states(number), row - self._pieces[number].first

    def _states(self, number: int) -> States:
        states = self._decoded.get(number)
        if states is None:
            states = self._decoded[number] = self._states_at(self._pieces[number].place)
            if len(self._decoded) > _MAX_CHUNKS:
                self._decoded.popitem(last=False)
        self._decoded.move_to_end(number)
        return states
