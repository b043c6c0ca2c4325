"""Collects what the robot believes."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.beliefs import LOC
from hetwin_core.projection.following.definitions import Definitions
from hetwin_core.projection.following.log_file import Chunk
from hetwin_core.projection.tables.belief_list import BeliefColumns, Claim, Numbers
from hetwin_core.projection.tables.deriving.belief_messages import BeliefReader
from hetwin_core.projection.tables.deriving.book import Book
from hetwin_core.projection.tables.deriving.pose_errors import PoseErrors


class BeliefBook:
    """Takes in the beliefs of chunks; each percept is an event ``perceived``, too.

    Args:
        definitions: the log's types.
        book: to enter events in.
        errors: compares believed poses with the states.
    """

    def __init__(self, definitions: Definitions, book: Book, errors: PoseErrors) -> None:
        self._reader = BeliefReader(definitions)
        self._book = book
        self._errors = errors
        self._parts: list[BeliefColumns] = []

    @property
    def about(self) -> frozenset[tuple[str, str]]:
        """The pairs of a fluent and an entity that there are beliefs about."""
        return frozenset((claim.fluent, claim.a) for claim in self._reader.claims)

    def add(self, chunk: Chunk) -> int:
        """Take in a chunk; returns the time of its last belief [ns], 0 if it has none.

        Raises:
            Exception: of many kinds, if a message does not fit its definition.
        """
        part = self._reader.read(chunk)
        if not len(part.kinds):
            return 0
        self._parts.append(part)
        for kind in np.unique(part.kinds).tolist():
            self._enter(part.claims[kind], part, np.flatnonzero(part.kinds == kind))
        return int(part.times.max())

    def columns(self) -> BeliefColumns:
        """Return all beliefs so far."""
        claims = tuple(self._reader.claims)
        if not self._parts:
            none = np.empty(0, np.int64)
            return BeliefColumns(claims, none, none, np.empty((0, 7)), np.empty(0))
        _, *columns = zip(*self._parts, strict=True)
        kinds, times, poses, confidences = map(np.concatenate, columns)
        whole = BeliefColumns(claims, kinds, times, poses, confidences)
        self._parts = [whole]
        return whole

    def _enter(self, claim: Claim, part: BeliefColumns, rows: Numbers) -> None:
        times = part.times[rows]
        if claim.fluent == LOC:
            self._errors.believe(claim.a, claim.is_percept, times, part.poses[rows])
        if claim.is_percept:
            confidences = part.confidences[rows].tolist()
            for time_ns, confidence in zip(times.tolist(), confidences, strict=True):
                what = {"object": claim.a, "confidence": confidence}
                self._book.happen(time_ns, "perceived", what)
