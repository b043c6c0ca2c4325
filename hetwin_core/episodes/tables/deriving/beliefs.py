"""Reads beliefs from a log or a run, collects them, and finds the errors of believed poses."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hetwin_core.ensemble.beliefs import LOC, PERCEPT, belief_fields
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import BELIEFS
from hetwin_core.episodes.following.log_file import Chunk
from hetwin_core.episodes.following.states import Definitions
from hetwin_core.episodes.messages import nanoseconds
from hetwin_core.episodes.tables.belief_errors import PoseError
from hetwin_core.episodes.tables.deriving.book import Batch, Book, Mask, SceneIndex
from hetwin_core.episodes.tables.lists import BeliefColumns, Claim, Numbers
from hetwin_core.episodes.tables.poses import ANGLE, DISTANCE_M, Times, distances

LATE_NS = 600_000_000
"""Maximum delay with which beliefs, and events of models, reach the log after their stamps [ns]."""


class PoseErrors:
    """Compares believed poses with the states, after all beliefs about these have arrived.

    Args:
        index: index of the scene.
        book: has the positions of entities at rest.

    Attributes:
        found: entity -> errors.
    """

    def __init__(self, index: SceneIndex, book: Book) -> None:
        self._index = index
        self._book = book
        self._pending: list[tuple[Times, Floats]] = []
        self._chains: dict[str, _BeliefHistory] = {}
        self._pose_columns = {
            name: index.layout.range_of(index.roots.get(name, name), "pose").start
            for name in index.names
            if index.layout.has(index.roots.get(name, name), "pose")
        }
        self._columns = np.array(sorted(set(self._pose_columns.values())), np.int64)

    @property
    def found(self) -> dict[str, list[PoseError]]:
        """The errors so far."""
        return {key: chain.errors for key, chain in self._chains.items()}

    def believe(self, entity: str, times: Times, poses: Floats) -> None:
        """Add believed poses.

        Args:
            entity: the entity with these poses.
            times: (m,) when the beliefs were formed [ns].
            poses: (m, 7) in the world.
        """
        if entity not in self._pose_columns:
            return
        chain = self._chains.get(entity)
        if chain is None:
            column = int(np.searchsorted(self._columns, self._pose_columns[entity]))
            chain = self._chains[entity] = _BeliefHistory(entity, column, self._book)
        chain.add(times, poses)

    def update(self, batch: Batch) -> None:
        """Add the next states."""
        if len(self._columns):
            columns = self._columns[:, None] + np.arange(7)
            self._pending.append((batch.states.times, batch.states.values[:, columns]))
            self.settle(int(batch.states.times[-1]) - LATE_NS)

    def settle(self, until_ns: int) -> None:
        """Compare the states up to a time."""
        while self._pending:
            times, poses = self._pending[0]
            count = int(np.searchsorted(times, until_ns, side="right"))
            if not count:
                return
            self._compare(times[:count], poses[:count])
            if count < len(times):
                self._pending[0] = times[count:], poses[count:]
            else:
                self._pending.pop(0)

    def _compare(self, times: Times, poses: Floats) -> None:
        """Compare states with the beliefs at their times, for all entities at once."""
        chains = [chain for chain in self._chains.values() if chain.begins_by(int(times[-1]))]
        if not chains:
            return
        formed, believed, known = zip(*(chain.at(times) for chain in chains), strict=True)
        real = poses[:, [chain.column for chain in chains]]
        distance, angle = distances(real, np.stack(believed, axis=1))
        wrong = np.stack(known, axis=1) & ((distance > DISTANCE_M) | (angle > ANGLE))
        has_errors = (wrong != wrong[:1]).any(axis=0) | wrong[0]
        for i, chain in enumerate(chains):
            if has_errors[i] or chain.was_wrong:
                columns = (wrong[:, i], distance[:, i], angle[:, i], formed[i], believed[i])
                chain.add_errors(times, *columns)
            else:
                chain.skip(formed[i])


@dataclass
class _BeliefHistory:
    """Beliefs about one entity, and their errors."""

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
        """Whether there was a belief at a time."""
        return len(self._times) > 0 and int(self._times[0]) <= time_ns

    def at(self, times: Times) -> tuple[Times, Floats, Mask]:
        """Return for some times when the current belief was formed, its pose, and whether there was one."""
        which = np.searchsorted(self._times, times, side="right") - 1
        held = np.maximum(which, 0)
        found = self._times[held], self._poses[held], which >= 0
        self._times, self._poses = self._times[held[-1] :], self._poses[held[-1] :]
        return found

    def skip(self, formed: Times) -> None:
        """Add states without any error."""
        self._last_formed = int(formed[-1])

    def add_errors(
        self,
        times: Times,
        wrong: Mask,
        distance: Floats,
        angle: Floats,
        formed: Times,
        believed: Floats,
    ) -> None:
        """Add states in which errors exist, start or end."""
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
        """Start an error; if the belief is new, the belief itself is its cause, unless the entity was there before."""
        moved_ns = time_ns
        if formed_ns != before_ns:
            moved_ns = self._departure_ns(believed, time_ns)
        self.errors.append(PoseError(self.entity, time_ns, formed_ns, moved_ns))

    def _departure_ns(self, believed: Floats, time_ns: int) -> int:
        """When the entity left the believed position; the given time if it never was there."""
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


class Claims:
    """Numbers the distinct claims of beliefs.

    Attributes:
        claims: all claims so far, indexed by their numbers.
    """

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self._kinds: dict[Claim, int] = {}

    def kind(self, fluent: str, arguments: Sequence[str], holds: bool, origin: str) -> int:
        """Return the number of a claim.

        Args:
            fluent: e.g. ``held``.
            arguments: one or two entities.
            holds: whether the robot believes the fluent to be true.
            origin: the source of the belief.
        """
        a, b = (*arguments, "")[:2]
        claim = Claim(fluent, a, b, holds, origin)
        kind = self._kinds.setdefault(claim, len(self.claims))
        if kind == len(self.claims):
            self.claims.append(claim)
        return kind


_NO_POSE = (math.nan,) * 7
_MAX_ARGUMENTS = 2
_TEXTS_OFFSET = 12
_KEY_LENGTH = 40
"""Number of bytes of a message's texts that are the key of its form, before a full comparison."""
_TIME = struct.Struct("<iI")
_NUMBERS = struct.Struct("<8d")
_CONFIDENCE = struct.Struct("<d")


@dataclass(frozen=True, slots=True)
class _MessageLayout:
    """The bytes of a message around its numbers."""

    kind: int
    numbers_at: int
    before: bytes
    after: bytes
    has_pose: bool

    def fits(self, data: bytes) -> bool:
        """Whether a message differs only in its numbers."""
        end = self.numbers_at + (_NUMBERS.size if self.has_pose else _CONFIDENCE.size)
        return data[_TEXTS_OFFSET : self.numbers_at] == self.before and data[end:] == self.after

    def numbers(self, data: bytes) -> tuple[float, ...]:
        """Return pose and confidence."""
        if self.has_pose:
            return _NUMBERS.unpack_from(data, self.numbers_at)
        return (*_NO_POSE, *_CONFIDENCE.unpack_from(data, self.numbers_at))


class BeliefReader:
    """Reads the beliefs of chunks.

    Args:
        definitions: the log's types.
        claims: the claims so far; new ones are added.
    """

    def __init__(self, definitions: Definitions, claims: Claims) -> None:
        self._definitions = definitions
        self._claims = claims
        self._forms: dict[bytes, list[_MessageLayout]] = {}

    def read(self, chunk: Chunk) -> BeliefColumns:
        """Read the beliefs of a chunk.

        Raises:
            ValueError: if one has the wrong number of entities, or an invalid pose.
            Exception: of any type, if one does not match its definition.
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
            self._claims.claims,
            np.array(kinds, np.int64),
            np.array(times, np.int64),
            table[:, :7],
            table[:, 7],
        )

    def _form(self, data: bytes) -> _MessageLayout:
        known = self._forms.setdefault(data[_TEXTS_OFFSET : _TEXTS_OFFSET + _KEY_LENGTH], [])
        for form in known:
            if form.fits(data):
                return form
        form = self._new_form(data)
        known.append(form)
        return form

    def _new_form(self, data: bytes) -> _MessageLayout:
        message = self._definitions.read(BELIEFS.type, data)
        pose = tuple(map(float, message.pose))
        has_pose = len(pose) > 0
        # The confidence follows the pose; the origin, a length and a text with its end, follows that.
        size = _NUMBERS.size if has_pose else _CONFIDENCE.size
        at = len(data) - 4 - len(message.origin.encode()) - 1 - size
        form = _MessageLayout(
            self._kind(message), at, data[_TEXTS_OFFSET:at], data[at + size :], has_pose
        )
        expected = (*pose, message.confidence)
        if form.numbers(data)[-len(expected) :] != expected or nanoseconds(message.stamp) < 0:
            raise ValueError("the beliefs of this log have another binary layout")
        return form

    def _kind(self, message: Any) -> int:
        arguments = [str(argument) for argument in message.arguments]
        if not 1 <= len(arguments) <= _MAX_ARGUMENTS:
            raise ValueError(f"a belief about {len(arguments)} entities; expected 1 or 2")
        if len(message.pose) not in (0, len(_NO_POSE)):
            raise ValueError(f"a believed pose has {len(message.pose)} numbers; expected 7")
        holds, origin = bool(message.holds), str(message.origin)
        return self._claims.kind(str(message.fluent), arguments, holds, origin)


def event_columns(events: Sequence[Event], claims: Claims) -> BeliefColumns:
    """Return the beliefs in events as columns.

    Args:
        events: see `belief_event`.
        claims: the claims so far; new ones are added.
    """
    beliefs = [belief_fields(event) for event in events]
    return BeliefColumns(
        claims.claims,
        np.array([claims.kind(b.fluent, b.arguments, b.holds, b.origin) for b in beliefs]),
        np.array([event.time_ns for event in events], np.int64),
        np.array([one.pose or _NO_POSE for one in beliefs], np.float64).reshape(-1, 7),
        np.array([one.confidence for one in beliefs], np.float64),
    )


class BeliefBook:
    """Collects beliefs; each percept becomes an event ``perceived``, too.

    Args:
        book: receives the events.
        errors: compares believed poses with the states.

    Attributes:
        claims: the distinct claims of the beliefs.
    """

    def __init__(self, book: Book, errors: PoseErrors) -> None:
        self.claims = Claims()
        self._book = book
        self._errors = errors
        self._parts: list[BeliefColumns] = []

    @property
    def about(self) -> frozenset[tuple[str, str]]:
        """The pairs of fluent and entity in the beliefs."""
        return frozenset((claim.fluent, claim.a) for claim in self.claims.claims)

    def add(self, part: BeliefColumns) -> int:
        """Add the next beliefs; return the time of the last one [ns], 0 without any."""
        if not len(part.kinds):
            return 0
        self._parts.append(part)
        for kind in np.unique(part.kinds).tolist():
            self._add_claim(part.claims[kind], part, np.flatnonzero(part.kinds == kind))
        return int(part.times.max())

    def columns(self) -> BeliefColumns:
        """Return all beliefs so far."""
        claims = tuple(self.claims.claims)
        if not self._parts:
            none = np.empty(0, np.int64)
            return BeliefColumns(claims, none, none, np.empty((0, 7)), np.empty(0))
        _, *columns = zip(*self._parts, strict=True)
        kinds, times, poses, confidences = map(np.concatenate, columns)
        merged = BeliefColumns(claims, kinds, times, poses, confidences)
        self._parts = [merged]
        return merged

    def _add_claim(self, claim: Claim, part: BeliefColumns, rows: Numbers) -> None:
        times = part.times[rows]
        if claim.fluent == LOC:
            self._errors.believe(claim.a, times, part.poses[rows])
        if claim.origin == PERCEPT:
            confidences = part.confidences[rows].tolist()
            for time_ns, confidence in zip(times.tolist(), confidences, strict=True):
                what = {"object": claim.a, "confidence": confidence}
                self._book.add_event(time_ns, "perceived", what)
