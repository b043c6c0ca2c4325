"""All tables of one episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.tables.lists import EventList
from hetwin_core.episodes.tables.rows import (
    Belief,
    BeliefError,
    Interval,
    Occasion,
    Task,
)
from hetwin_core.episodes.tables.unseen import Unseen


class OccasionTable(Protocol):
    """Occasions, found by fluent and entities."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def __iter__(self) -> Iterator[Occasion]:
        """Iterate over the rows, in their order."""

    def find(self, fluent: str, a: str | None = None, b: str | None = None) -> list[Occasion]:
        """Return the rows of a fluent, by begin; None stands for any entity, also for none.

        Symmetric fluents are found in either order.
        """

    def __getitem__(self, row: int) -> Occasion:
        """Return a row."""


class BeliefTable(Protocol):
    """Beliefs, found by fluent and entities."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def __iter__(self) -> Iterator[Belief]:
        """Iterate over the rows, in their order."""

    def find(
        self,
        fluent: str,
        a: str | None = None,
        b: str | None = None,
        during: Interval | None = None,
    ) -> list[Belief]:
        """Return the rows of a fluent that overlap an interval, by begin; None stands for any."""

    def __getitem__(self, row: int) -> Belief:
        """Return a row."""


class Poses(Protocol):
    """The poses of the log."""

    def at(self, entity: str, time_ns: int) -> tuple[int, Floats]:
        """Return the time of the last state that is not later [ns], and pose and twist (13,) in the world.

        Raises:
            KeyError: if the scene has no such entity with a pose.
        """

    def during(self, entity: str, span: Interval) -> tuple[Floats, Floats]:
        """Return (n,) times [ns] and (n, 13) poses and twists of the states in an interval, and of the one before."""

    def value(self, entity: str, attribute: str, time_ns: int) -> tuple[int, Floats]:
        """Return the time of the last state that is not later [ns], and an attribute's value."""

    def row(self, time_ns: int) -> int:
        """Return the number of the last state that is not later, counted from 0; 0 for times before the first."""

    def snapshot(self, time_ns: int) -> Snapshot:
        """Return the whole scene of the last state that is not later, with owners, parents and proximity.

        Snapshots in order of time, some states apart, cost little more than reading on; evaluators are asked on them.
        """

    def states(self, span: Interval) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        """Iterate over the log's chunks: (n,) times [ns] and (n, layout.size) all values of the states in an interval.

        Every chunk is decoded once; the arrays are valid until the next one.
        """


@dataclass(frozen=True)
class Tables:
    """One episode.

    Attributes:
        episode: name of its folder.
        layout: entities and attributes.
        start_ns: the first time of the log.
        known_until_ns: the last time of it, so far.
        finished: whether the log is complete.
        occasions: states of the world.
        events: by time; equal times in the order in which they were handled.
        tasks: by begin.
        beliefs: what the robot believed.
        belief_errors: where that was wrong.
        recorded: the fluents about the world that this log can know; any other is unknown, not false.
        believed: the (fluent, entity) pairs that the robot has told anything about, an entity of "" for all.
        poses: of all entities.
        expects: of the scenario: operation -> expressions of events that may happen in it.
        unseen: where it was not seen whether something holds.
    """

    episode: str
    layout: Layout
    start_ns: int
    known_until_ns: int
    finished: bool
    occasions: OccasionTable
    events: EventList
    tasks: Sequence[Task]
    beliefs: BeliefTable
    belief_errors: Sequence[BeliefError]
    recorded: frozenset[str]
    believed: frozenset[tuple[str, str]]
    poses: Poses
    expects: Mapping[str, tuple[str, ...]]
    unseen: Unseen
