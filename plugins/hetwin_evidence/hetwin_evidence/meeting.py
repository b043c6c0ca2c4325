"""Detection of the first resistance against a hand that pushes along an axis, and the depth reached after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hetwin_evidence.likelihood import Voice
from hetwin_suite.model import Floats

_LASTS = 2
"""Minimum number of consecutive steps with resistance; fewer are a knock."""
_STILL_S, _STILL_M, _MOVED_M = 0.1, 0.0003, 0.001
"""A hand rests if it advances by less than `_STILL_M` in `_STILL_S` after it has moved by more than `_MOVED_M`."""
SPREADS = {"wrist": 0.0025, "efforts": 0.0035, "strain": 0.0045, "rest": 0.006}
LATE = {"wrist": 0.0, "efforts": 0.002, "strain": 0.002, "rest": 0.004}
"""Standard deviation and mean of each source's error in the position of a face [m], positive if too deep, on 40
insertions of the two-hand stand-in (seed 30105). Rest is the worst source: a hand may rest because its program does."""
_STEEP, _MOST = 1.7, 4.0
"""Slope of the logistic approximation of a normal distribution, and limit of a depth's log-likelihood ratio."""
_NAMES = {
    "wrist": "depth_by_wrench",
    "efforts": "depth_by_efforts",
    "strain": "depth_by_commands",
    "rest": "depth_by_rest",
}
_MISSING = {
    "wrist": "no wrench is received in the frame of a link that carries the hand",
    "efforts": "the efforts of the arm's joints are not known",
    "strain": "no controller says how far joints are from where it wants them",
}


class Depth(NamedTuple):
    """Depth that a hand has reached since the first resistance.

    Attributes:
        source: source that detected the resistance.
        depth: depth [m]; None: the source abstains.
        stamp_s: time of the first resistance [s].
        reason: reason why the source abstains.
    """

    source: str
    depth: float | None
    stamp_s: float | None = None
    reason: str = ""


class Resistance:
    """Detects the first resistance in a source's signal.

    Args:
        source: name of the source.
        free: (n,) signal in free motion.
        least: minimum change of the signal that counts as resistance, in its unit.
    """

    def __init__(self, source: str, free: Floats, least: float) -> None:
        self.source, self._free, self._least = source, free, least
        self._met: list[tuple[int, float]] = []

    @property
    def met(self) -> tuple[int, float] | None:
        """Time [ns] and position along the axis [m] of the first resistance; None: none yet."""
        return self._met[0] if len(self._met) >= _LASTS else None

    def feel(self, time_ns: int, along: float, value: Floats) -> None:
        """Process the signal (n,) at a position of the hand along the axis [m]."""
        if self.met is not None:
            return
        if float(np.linalg.norm(value - self._free)) >= self._least:
            self._met.append((time_ns, along))
        else:
            self._met.clear()


class FirstRest:
    """Detects where a hand that moves along an axis first rests.

    Attributes:
        met: time [ns] and position along the axis [m] of the first rest; None: none yet.
    """

    def __init__(self) -> None:
        self._way: list[tuple[int, float]] = []
        self.met: tuple[int, float] | None = None

    def go_on(self, time_ns: int, along: float) -> None:
        """Process a position of the hand along the axis [m]."""
        if self.met is not None:
            return
        self._way.append((time_ns, along))
        past = [
            along_then for time, along_then in self._way if time <= time_ns - round(1e9 * _STILL_S)
        ]
        if past and along - self._way[0][1] > _MOVED_M and along - past[-1] < _STILL_M:
            self.met = time_ns, along


class Meeting:
    """One approach of a probe to a socket.

    Args:
        resistances: detectors of the available sources, the most precise first.
        rested: detector of the first rest.
    """

    def __init__(self, resistances: Sequence[Resistance], rested: FirstRest) -> None:
        self._resistances, self._rested = resistances, rested
        self._first_ns: int | None = None
        self._along = 0.0

    def go_on(self, time_ns: int, along: float, felt: Mapping[str, Floats]) -> None:
        """Process the hand's position along the axis [m], and the signals of the arm by source."""
        self._along = along
        self._first_ns = self._first_ns or time_ns
        for resistance in self._resistances:
            if resistance.source in felt:
                resistance.feel(time_ns, along, felt[resistance.source])
        self._rested.go_on(time_ns, along)

    def depths(self) -> Iterator[Depth]:
        """Yield the depth by each source, the most precise first; all but the first available source abstain."""
        speaking = ""
        has = {resistance.source: resistance for resistance in self._resistances}
        for source in SPREADS:
            if speaking:
                yield Depth(source, None, None, f"{_NAMES[speaking]} knows better")
            elif source != "rest" and source not in has:
                yield Depth(source, None, None, _MISSING[source])
            else:
                met = self._rested.met if source == "rest" else has[source].met
                speaking = source
                yield self._depth(source, met)

    def _depth(self, source: str, met: tuple[int, float] | None) -> Depth:
        if met is None:
            return Depth(source, 0.0, None)
        return Depth(source, self._along - met[1], met[0] / 1e9)


def below(found: Depth, goes_in: float) -> Voice:
    """Return the evidence of a depth for a connection.

    Args:
        found: the depth.
        goes_in: minimum depth from which a probe slides in by itself [m].
    """
    name = _NAMES[found.source]
    if found.depth is None:
        return Voice(name, None, "m", 0.0, None, found.reason)
    even = goes_in - LATE[found.source]
    ratio = _STEEP * (found.depth - even) / SPREADS[found.source]
    return Voice(name, found.depth, "m", min(_MOST, max(-_MOST, ratio)), found.stamp_s)
