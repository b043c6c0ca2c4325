"""The motion and wrenches of a hand between two closings of its fingers, for the quantities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hetwin_evidence.likelihood import Claim
from hetwin_evidence.quantities import SETTLED_S
from hetwin_suite.model import Floats

_SETTLED_NS = round(SETTLED_S * 1e9)
_KEPT_S = 10.0
"""For so long what a wrist felt is kept at least; a pull lasts shorter."""
_STILL_M = 0.002
"""A hand that moves less than this stands still."""
_SATURATES_N = 20.0
"""A force as large as this that does not change at all is that of a sensor at its limit."""


class Recent:
    """Rows of the last ten seconds, in order of time; the first column is it [s].

    They stand in a buffer with room at its end, so that a new row moves no old ones.

    Args:
        width: of a row.
    """

    def __init__(self, width: int) -> None:
        self._buffer = np.zeros((256, width))
        self._first = self._end = 0

    @property
    def rows(self) -> Floats:
        """(n, width) all rows, as a view until the next is added."""
        return self._buffer[self._first : self._end]

    def add(self, rows: Floats) -> None:
        """Add rows that are newer, and forget old ones."""
        count, kept = len(rows), self.rows
        if self._end + count > len(self._buffer):
            self._first += int(np.searchsorted(kept[:, 0], rows[-1, 0] - _KEPT_S))
            kept = self.rows
            room = max(len(self._buffer), 2 * (len(kept) + count))
            moved = np.zeros((room, self._buffer.shape[1]))
            moved[: len(kept)] = kept
            self._buffer, self._first, self._end = moved, 0, len(kept)
        self._buffer[self._end : self._end + count] = rows
        self._end += count

    def between(self, from_s: float, to_s: float) -> Floats:
        """Return the rows of a time, as a view until the next is added."""
        rows = self.rows
        first, end = np.searchsorted(rows[:, 0], (from_s, to_s))
        return rows[first:end]


@dataclass
class Felt:
    """Forces at a wrist over some time.

    Attributes:
        stamps: (n,) [s].
        forces: (n, 3) in the sensor's frame [N].
    """

    stamps: Floats = field(default_factory=lambda: np.zeros(0))
    forces: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    @cached_property
    def mean(self) -> Floats:
        """(3,) the mean force [N]."""
        mean: Floats = self.forces.mean(axis=0)
        return mean

    @cached_property
    def unusable(self) -> str:
        """Why nothing can be computed from it, in words; empty if something can."""
        if len(self.stamps) < 2:
            return "no wrench was received then"
        if not np.isfinite(self.forces).all():
            return "the wrench is not a number"
        stuck = (np.ptp(self.forces, axis=0) == 0.0) & (np.abs(self.forces[0]) >= _SATURATES_N)
        if stuck.any():
            force = self.forces[0][stuck][0]
            return f"the wrench stands at {force:g} N without any noise: the sensor is saturated"
        return ""


@dataclass
class Closing:
    """One closing of a hand's fingers, and the hand's actions since.

    Attributes:
        before: wrenches before the fingers began to close.
        down: direction of gravity in the sensor's frame then; None without a sensor.
        begun_ns: when they began.
        closed_ns: when they came to rest; None: they have not yet.
        height: of the hand then [m]; once it is judged, when it was.
        judged: whether its claims are made.
        holds: whether it is known to hold something.
        held_at: how far its fingers were closed when that was judged [share of the travel].
        held_ns: when.
        weight: of the held object, as measured then [N]; None: not measured.
        lost: the last claim that it has lost it.
    """

    before: Felt
    down: Floats | None
    begun_ns: int
    closed_ns: int | None = None
    height: float = 0.0
    judged: bool = False
    holds: bool = False
    held_at: float = 0.0
    held_ns: int = 0
    weight: float | None = None
    lost: Claim | None = None


class Rest:
    """Finds when a hand stands still: for as long as a weight is averaged."""

    def __init__(self) -> None:
        self._at: Sequence[float] = ()
        self._since_ns = 0

    def update(self, time_ns: int, position: Sequence[float]) -> bool:
        """Return whether the hand has stood for long enough; its position (x, y, z) is in m."""
        if not self._at or any(
            abs(now - then) > _STILL_M for now, then in zip(position, self._at, strict=True)
        ):
            self._at, self._since_ns = position, time_ns
        return time_ns - self._since_ns >= _SETTLED_NS
