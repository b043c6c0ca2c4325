"""The motion and wrenches of a hand between two closings of its fingers, for the quantities."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hetwin_evidence.likelihood import Claim
from hetwin_evidence.quantities import SETTLED_S
from hetwin_suite.model import Floats

_SETTLED_NS = round(SETTLED_S * 1e9)
_KEPT_NS = 10_000_000_000
"""So much of a wrist's wrenches after a closing is kept; a pull lasts shorter."""
_STILL_M = 0.002
"""A hand that moves less than this stands still."""
_SATURATES_N = 20.0
"""A force as large as this that does not change at all is that of a sensor at its limit."""


@dataclass
class Felt:
    """Forces at a wrist over some time.

    Attributes:
        stamps: (n,) [s].
        forces: (n, 3) in the sensor's frame [N].
    """

    stamps: Floats = field(default_factory=lambda: np.zeros(0))
    forces: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    def add(self, rows: Floats) -> None:
        """Add the rows of a table of wrenches that are newer, and forget old ones."""
        newest = self.stamps[-1] if len(self.stamps) else -np.inf
        stamps = rows[:, 0] / 1e9
        fresh = stamps > newest
        if not fresh.any():
            return
        stamps = np.concatenate((self.stamps, stamps[fresh]))
        first = np.searchsorted(stamps, stamps[-1] - _KEPT_NS / 1e9)
        self.stamps = stamps[first:]
        self.forces = np.concatenate((self.forces, rows[fresh, 2:5]))[first:]

    def between(self, from_ns: int, to_ns: int) -> Felt:
        """Return the wrenches in a time."""
        first, end = np.searchsorted(self.stamps, (from_ns / 1e9, to_ns / 1e9))
        return Felt(self.stamps[first:end], self.forces[first:end])

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
        self._at: Floats | None = None
        self._since_ns = 0

    def update(self, time_ns: int, position: Floats) -> bool:
        """Return whether the hand has stood for long enough; its position is in m."""
        if self._at is None or float(np.abs(position - self._at).max()) > _STILL_M:
            self._at, self._since_ns = position.copy(), time_ns
        return time_ns - self._since_ns >= _SETTLED_NS


def settled(felt: Felt, until_ns: int) -> Felt:
    """Return the wrenches of the last 0.3 s before a time."""
    return felt.between(until_ns - _SETTLED_NS, until_ns)
