"""Collects what the robot believes."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.beliefs import LOC
from hetwin_core.projection.following.definitions import Definitions
from hetwin_core.projection.following.log_file import Chunk
from hetwin_core.projection.tables.belief_list import BeliefColumns
from hetwin_core.projection.tables.deriving.belief_messages import BeliefReader, Claim, Claims
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
        self._claims: list[Claims] = []

    def add(self, chunk: Chunk) -> int:
        """Take in a chunk; returns the time of its last belief [ns], 0 if it has none.

        Raises:
            Exception: of many kinds, if a message does not fit its definition.
        """
        claims = self._reader.read(chunk)
        if not len(claims.kinds):
            return 0
        self._claims.append(claims)
        for kind in np.unique(claims.kinds).tolist():
            self._enter(self._reader.claims[kind], claims, np.flatnonzero(claims.kinds == kind))
        return int(claims.times.max())

    def columns(self) -> BeliefColumns:
        """Return all beliefs so far."""
        empty = Claims(np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 8)))
        parts = zip(empty, *self._claims, strict=True)
        kinds, times, numbers = (np.concatenate(part) for part in parts)
        claims = self._reader.claims
        words = {"": 0}
        for claim in claims:
            for word in (claim.fluent, claim.a, claim.b, claim.origin):
                words.setdefault(word, len(words))
        named = [(words[c.fluent], words[c.a], words[c.b], words[c.origin]) for c in claims]
        fluents, a, b, origins = np.array(named, np.int64).reshape(-1, 4)[kinds].T
        holds = np.array([c.holds for c in claims], np.bool_)[kinds]
        return BeliefColumns(
            tuple(words), fluents, a, b, holds, numbers[:, :7], times, origins, numbers[:, 7]
        )

    def _enter(
        self, claim: Claim, claims: Claims, rows: np.ndarray[tuple[int], np.dtype[np.int64]]
    ) -> None:
        times, numbers = claims.times[rows], claims.numbers[rows]
        if claim.fluent == LOC:
            self._errors.believe(claim.a, claim.is_percept, times, numbers[:, :7])
        if claim.is_percept:
            for time_ns, confidence in zip(times.tolist(), numbers[:, 7].tolist(), strict=True):
                what = {"object": claim.a, "confidence": confidence}
                self._book.happen(time_ns, "perceived", what)
