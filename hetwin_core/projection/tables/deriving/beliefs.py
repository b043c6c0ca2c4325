"""Collects what the robot believes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hetwin_core.ensemble.beliefs import LOC, PERCEPT
from hetwin_core.ensemble.events import Json
from hetwin_core.projection.messages import nanoseconds
from hetwin_core.projection.tables.belief_list import BeliefColumns
from hetwin_core.projection.tables.deriving.book import Book
from hetwin_core.projection.tables.deriving.pose_errors import PoseErrors

_NO_POSE = (math.nan,) * 7
_MOST_ARGUMENTS = 2


class BeliefBook:
    """Takes in messages ``hetwin/msg/Belief``; each percept is an event ``perceived``, too.

    Args:
        book: to enter these in.
        errors: compares believed poses with the states.
    """

    def __init__(self, book: Book, errors: PoseErrors) -> None:
        self._errors = errors
        self._book = book
        self._words: dict[str, int] = {"": 0}
        self._numbers: list[tuple[int, int, int, bool, int, int]] = []
        self._floats: list[tuple[float, ...]] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def message(self, message: Any) -> int:
        """Take in a message; returns its time [ns].

        Raises:
            ValueError: if it is about nothing or too much, or its pose is none.
        """
        arguments = [str(argument) for argument in message.arguments]
        if not 1 <= len(arguments) <= _MOST_ARGUMENTS:
            raise ValueError(f"a belief about {len(arguments)} entities; expected 1 or 2")
        pose = tuple(map(float, message.pose)) or _NO_POSE
        if len(pose) != len(_NO_POSE):
            raise ValueError(f"a believed pose has {len(pose)} numbers; expected 7")
        time_ns, confidence = nanoseconds(message.stamp), float(message.confidence)
        fluent, a, b, origin = map(
            self._word, (message.fluent, arguments[0], (*arguments, "")[1], message.origin)
        )
        self._numbers.append((fluent, a, b, bool(message.holds), time_ns, origin))
        self._floats.append((*pose, confidence))
        if message.fluent == LOC:
            self._errors.believe(arguments[0], message.origin == PERCEPT, time_ns, pose)
        if message.origin == PERCEPT:
            what: dict[str, Json] = {"object": arguments[0], "confidence": confidence}
            self._book.happen(time_ns, "perceived", what)
        return time_ns

    def columns(self) -> BeliefColumns:
        """Return all beliefs so far."""
        numbers = np.array(self._numbers, np.int64).reshape(-1, 6).T
        floats = np.array(self._floats, np.float64).reshape(-1, 8)
        fluents, a, b, holds, times, origins = numbers
        return BeliefColumns(
            tuple(self._words),
            fluents,
            a,
            b,
            holds.astype(np.bool_),
            floats[:, :7],
            times,
            origins,
            floats[:, 7],
        )

    def _word(self, text: str) -> int:
        return self._words.setdefault(text, len(self._words))
