"""Collects what the robot believes."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.beliefs import LOC, PERCEPT
from hetwin_core.episodes.tables.belief_list import BeliefColumns, Claim, Numbers
from hetwin_core.episodes.tables.deriving.book import Book
from hetwin_core.episodes.tables.deriving.claims import Claims
from hetwin_core.episodes.tables.deriving.pose_errors import PoseErrors


class BeliefBook:
    """Takes in beliefs; each percept is an event ``perceived``, too.

    Args:
        book: to enter events in.
        errors: compares believed poses with the states.

    Attributes:
        claims: what they say.
    """

    def __init__(self, book: Book, errors: PoseErrors) -> None:
        self.claims = Claims()
        self._book = book
        self._errors = errors
        self._parts: list[BeliefColumns] = []

    @property
    def about(self) -> frozenset[tuple[str, str]]:
        """The pairs of a fluent and an entity that there are beliefs about."""
        return frozenset((claim.fluent, claim.a) for claim in self.claims.said)

    def add(self, part: BeliefColumns) -> int:
        """Take in those that follow; returns the time of the last one [ns], 0 if there are none."""
        if not len(part.kinds):
            return 0
        self._parts.append(part)
        for kind in np.unique(part.kinds).tolist():
            self._enter(part.claims[kind], part, np.flatnonzero(part.kinds == kind))
        return int(part.times.max())

    def columns(self) -> BeliefColumns:
        """Return all beliefs so far."""
        claims = tuple(self.claims.said)
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
            self._errors.believe(claim.a, times, part.poses[rows])
        if claim.origin == PERCEPT:
            confidences = part.confidences[rows].tolist()
            for time_ns, confidence in zip(times.tolist(), confidences, strict=True):
                what = {"object": claim.a, "confidence": confidence}
                self._book.happen(time_ns, "perceived", what)
