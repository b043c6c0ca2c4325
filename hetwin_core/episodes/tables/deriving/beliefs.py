"""Reads beliefs from a log or a run, and collects them."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hetwin_core.ensemble.beliefs import LOC, PERCEPT, belief_fields
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.topics import BELIEFS
from hetwin_core.episodes.following.definitions import Definitions
from hetwin_core.episodes.following.log_file import Chunk
from hetwin_core.episodes.messages import nanoseconds
from hetwin_core.episodes.tables.deriving.book import Book
from hetwin_core.episodes.tables.deriving.pose_errors import PoseErrors
from hetwin_core.episodes.tables.lists import BeliefColumns, Claim, Numbers


class Claims:
    """Gives each claim a number.

    Attributes:
        said: all claims so far; the numbers count in it.
    """

    def __init__(self) -> None:
        self.said: list[Claim] = []
        self._kinds: dict[Claim, int] = {}

    def kind(self, fluent: str, arguments: Sequence[str], holds: bool, origin: str) -> int:
        """Return the number of a claim.

        Args:
            fluent: e.g. ``held``.
            arguments: one or two entities.
            holds: whether it holds, as the robot believes.
            origin: what the belief came from.
        """
        a, b = (*arguments, "")[:2]
        claim = Claim(fluent, a, b, holds, origin)
        kind = self._kinds.setdefault(claim, len(self.said))
        if kind == len(self.said):
            self.said.append(claim)
        return kind


_NO_POSE = (math.nan,) * 7
_MOST_ARGUMENTS = 2
_TEXTS_AT = 12
_KEY = 40
"""Bytes of a message's texts by which a form is looked up; it is compared in full then."""
_TIME = struct.Struct("<iI")
_NUMBERS = struct.Struct("<8d")
_CONFIDENCE = struct.Struct("<d")


@dataclass(frozen=True, slots=True)
class _Form:
    """The bytes of a message around its numbers."""

    kind: int
    numbers_at: int
    before: bytes
    after: bytes
    has_pose: bool

    def fits(self, data: bytes) -> bool:
        """Whether a message differs only in its numbers."""
        end = self.numbers_at + (_NUMBERS.size if self.has_pose else _CONFIDENCE.size)
        return data[_TEXTS_AT : self.numbers_at] == self.before and data[end:] == self.after

    def numbers(self, data: bytes) -> tuple[float, ...]:
        """Return pose and confidence."""
        if self.has_pose:
            return _NUMBERS.unpack_from(data, self.numbers_at)
        return (*_NO_POSE, *_CONFIDENCE.unpack_from(data, self.numbers_at))


class BeliefReader:
    """Reads the beliefs of chunks.

    Args:
        definitions: the log's types.
        claims: what has been said before; new ones are added.
    """

    def __init__(self, definitions: Definitions, claims: Claims) -> None:
        self._definitions = definitions
        self._claims = claims
        self._forms: dict[bytes, list[_Form]] = {}

    def read(self, chunk: Chunk) -> BeliefColumns:
        """Read the beliefs of a chunk.

        Raises:
            ValueError: if one is about nothing or too much, or its pose is none.
            Exception: of many kinds, if one does not fit its definition.
        """
        kinds, times, numbers = [], [], []
        for data in self._definitions.serialized(chunk, BELIEFS.logged_name):
            sec, nanosec = _TIME.unpack_from(data, 4)
            form = self._form(data)
            kinds.append(form.kind)
            times.append(sec * 1_000_000_000 + nanosec)
            numbers.append(form.numbers(data))
        table = np.array(numbers, np.float64).reshape(-1, 8)
        return BeliefColumns(
            self._claims.said,
            np.array(kinds, np.int64),
            np.array(times, np.int64),
            table[:, :7],
            table[:, 7],
        )

    def _form(self, data: bytes) -> _Form:
        known = self._forms.setdefault(data[_TEXTS_AT : _TEXTS_AT + _KEY], [])
        for form in known:
            if form.fits(data):
                return form
        form = self._new_form(data)
        known.append(form)
        return form

    def _new_form(self, data: bytes) -> _Form:
        message = self._definitions.read(BELIEFS.type, data)
        pose = tuple(map(float, message.pose))
        has_pose = len(pose) > 0
        # The confidence follows the pose; the origin, a length and a text with its end, follows that.
        size = _NUMBERS.size if has_pose else _CONFIDENCE.size
        at = len(data) - 4 - len(message.origin.encode()) - 1 - size
        form = _Form(self._kind(message), at, data[_TEXTS_AT:at], data[at + size :], has_pose)
        expected = (*pose, message.confidence)
        if form.numbers(data)[-len(expected) :] != expected or nanoseconds(message.stamp) < 0:
            raise ValueError("the beliefs of this log are laid out otherwise")
        return form

    def _kind(self, message: Any) -> int:
        arguments = [str(argument) for argument in message.arguments]
        if not 1 <= len(arguments) <= _MOST_ARGUMENTS:
            raise ValueError(f"a belief about {len(arguments)} entities; expected 1 or 2")
        if len(message.pose) not in (0, len(_NO_POSE)):
            raise ValueError(f"a believed pose has {len(message.pose)} numbers; expected 7")
        holds, origin = bool(message.holds), str(message.origin)
        return self._claims.kind(str(message.fluent), arguments, holds, origin)


def told_columns(events: Sequence[Event], claims: Claims) -> BeliefColumns:
    """Return beliefs as columns.

    Args:
        events: see `belief_event`.
        claims: what has been said before; new ones are added.
    """
    told = [belief_fields(event) for event in events]
    return BeliefColumns(
        claims.said,
        np.array([claims.kind(one.fluent, one.arguments, one.holds, one.origin) for one in told]),
        np.array([event.time_ns for event in events], np.int64),
        np.array([one.pose or _NO_POSE for one in told], np.float64).reshape(-1, 7),
        np.array([one.confidence for one in told], np.float64),
    )


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
