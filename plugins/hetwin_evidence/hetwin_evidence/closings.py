"""A closing of a hand's fingers, and the buffers of wrenches and poses from which its quantities are computed."""

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
"""Minimum time for which wrenches are kept [s]; pulls are shorter."""
_STILL_M = 0.002
"""Maximum displacement of a resting hand [m]."""
_SATURATES_N = 20.0
"""A force of at least this that is constant without any noise is that of a saturated sensor [N]."""


class Recent:
    """Buffer for rows of at least the last 10 s, sorted by time, which is the first column [s].

    The buffer has spare room at its end, so that adding a row rarely moves the others.

    Args:
        width: number of columns.
    """

    def __init__(self, width: int) -> None:
        self._buffer = np.zeros((256, width))
        self._first = self._end = 0

    @property
    def rows(self) -> Floats:
        """All rows (n, width), as a view that is valid until rows are added."""
        return self._buffer[self._first : self._end]

    def add(self, rows: Floats) -> None:
        """Add newer rows, and drop old ones if the buffer is full."""
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
        """Return the rows of a time interval [s], as a view that is valid until rows are added."""
        rows = self.rows
        first, end = np.searchsorted(rows[:, 0], (from_s, to_s))
        return rows[first:end]


@dataclass
class Forces:
    """Forces at a wrist in a time interval.

    Attributes:
        stamps: (n,) [s].
        forces: (n, 3) in the sensor's frame [N].
    """

    stamps: Floats = field(default_factory=lambda: np.zeros(0))
    forces: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    @cached_property
    def mean(self) -> Floats:
        """Mean force (3,) [N]."""
        mean: Floats = self.forces.mean(axis=0)
        return mean

    @cached_property
    def unusable(self) -> str:
        """Reason why the forces cannot be used; empty if they can."""
        if len(self.stamps) < 2:
            return "fewer than two wrenches were received in this time"
        if not np.isfinite(self.forces).all():
            return "the wrench contains NaN or infinite values"
        stuck = (np.ptp(self.forces, axis=0) == 0.0) & (np.abs(self.forces[0]) >= _SATURATES_N)
        if stuck.any():
            force = self.forces[0][stuck][0]
            return (
                f"the force is constant at {force:g} N, without any noise: the sensor is saturated"
            )
        return ""


@dataclass
class Closing:
    """One closing of a hand's fingers, and the state of the hand since then.

    Attributes:
        before: wrenches before the fingers started to close.
        down: direction of gravity in the sensor's frame before the closing; None without a sensor.
        started_ns: time when the fingers started to close.
        closed_ns: time when the fingers came to rest; None: they still move.
        height: height of the hand when the fingers came to rest; updated when the claims are judged [m].
        judged: whether the claims were judged.
        holds: whether the hand is known to hold an object.
        held_at: position of the fingers when the claims were judged [share of the travel].
        held_ns: time when the claims were judged.
        weight: measured weight of the held object [N]; None: not measured.
        lost: last claim that the object was lost.
    """

    before: Forces
    down: Floats | None
    started_ns: int
    closed_ns: int | None = None
    height: float = 0.0
    judged: bool = False
    holds: bool = False
    held_at: float = 0.0
    held_ns: int = 0
    weight: float | None = None
    lost: Claim | None = None


class RestDetector:
    """Detects that a hand has stood still for `SETTLED_S`, the averaging time of a weight."""

    def __init__(self) -> None:
        self._at: Sequence[float] = ()
        self._since_ns = 0

    def update(self, time_ns: int, position: Sequence[float]) -> bool:
        """Return whether the hand has stood still long enough, given its position x, y, z [m]."""
        if not self._at or any(
            abs(now - then) > _STILL_M for now, then in zip(position, self._at, strict=True)
        ):
            self._at, self._since_ns = position, time_ns
        return time_ns - self._since_ns >= _SETTLED_NS
