"""Reads beliefs from a log: many messages differ only in their numbers."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from hetwin_core.ensemble.topics import BELIEFS
from hetwin_core.episodes.following.definitions import Definitions
from hetwin_core.episodes.following.log_file import Chunk
from hetwin_core.episodes.messages import nanoseconds
from hetwin_core.episodes.tables.belief_list import BeliefColumns
from hetwin_core.episodes.tables.deriving.claims import Claims

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
