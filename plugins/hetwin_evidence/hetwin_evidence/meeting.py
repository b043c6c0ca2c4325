"""Where a hand that pushes along an axis meets resistance, and how far it gets from there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hetwin_evidence.likelihood import Voice
from hetwin_suite.model import Floats

_LASTS = 2
"""Resistance that is met in so many steps on end is no knock."""
_STILL_S, _STILL_M, _MOVED_M = 0.1, 0.0003, 0.001
"""A hand that has moved at all stands if it sinks by less than this in this time."""
SPREADS = {"wrist": 0.0025, "efforts": 0.0035, "strain": 0.0045, "rest": 0.006}
LATE = {"wrist": 0.0, "efforts": 0.002, "strain": 0.002, "rest": 0.004}
"""Standard deviation of where each source finds a face, and by how much deeper [m], on 40 insertions of the two-hand
stand-in (seed 30105). Where a hand rests is often where its program does, and no face: that is the worst."""
_STEEP, _MOST = 1.7, 4.0
"""A normal distribution is a logistic one of 1.7 times the slope; and the most that a depth says."""
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
    """How far a hand sank since it met resistance.

    Attributes:
        source: what found the resistance.
        depth: [m]; None: it has no say.
        stamp_s: when it was met [s].
        reason: why it has no say.
    """

    source: str
    depth: float | None
    stamp_s: float | None = None
    reason: str = ""


class Resistance:
    """Finds where a source first feels more than in free motion.

    Args:
        source: its name.
        free: what it feels in free motion.
        least: change of it that is resistance, in its unit.
    """

    def __init__(self, source: str, free: Floats, least: float) -> None:
        self.source, self._free, self._least = source, free, least
        self._met: list[tuple[int, float]] = []

    @property
    def met(self) -> tuple[int, float] | None:
        """When [ns] and where along the axis [m]; None: it has met none."""
        return self._met[0] if len(self._met) >= _LASTS else None

    def feel(self, time_ns: int, along: float, value: Floats) -> None:
        """Take what it feels where the hand is now."""
        if self.met is not None:
            return
        if float(np.linalg.norm(value - self._free)) >= self._least:
            self._met.append((time_ns, along))
        else:
            self._met.clear()


class Rested:
    """Finds where a hand that goes along an axis first stands still."""

    def __init__(self) -> None:
        self._way: list[tuple[int, float]] = []
        self.met: tuple[int, float] | None = None

    def go_on(self, time_ns: int, along: float) -> None:
        """Take where it is now."""
        if self.met is not None:
            return
        self._way.append((time_ns, along))
        past = [one for time, one in self._way if time <= time_ns - round(1e9 * _STILL_S)]
        if past and along - self._way[0][1] > _MOVED_M and along - past[-1] < _STILL_M:
            self.met = time_ns, along


class Meeting:
    """One approach of a probe to a socket.

    Args:
        resistances: of the sources that the arm has, the best first.
        rested: finds where it stands.
    """

    def __init__(self, resistances: Sequence[Resistance], rested: Rested) -> None:
        self._resistances, self._rested = resistances, rested
        self._first_ns: int | None = None
        self._along = 0.0

    def go_on(self, time_ns: int, along: float, felt: Mapping[str, Floats]) -> None:
        """Take where the hand is along the axis [m], and what the arm feels."""
        self._along = along
        self._first_ns = self._first_ns or time_ns
        for one in self._resistances:
            if one.source in felt:
                one.feel(time_ns, along, felt[one.source])
        self._rested.go_on(time_ns, along)

    def depths(self) -> Iterator[Depth]:
        """Yield what each source says, the best first; those after the first that speaks are silent."""
        said = ""
        has = {one.source: one for one in self._resistances}
        for source in SPREADS:
            if said:
                yield Depth(source, None, None, f"{_NAMES[said]} knows better")
            elif source != "rest" and source not in has:
                yield Depth(source, None, None, _MISSING[source])
            else:
                met = self._rested.met if source == "rest" else has[source].met
                said = source
                yield self._depth(source, met)

    def _depth(self, source: str, met: tuple[int, float] | None) -> Depth:
        if met is None:
            return Depth(source, 0.0, None)
        return Depth(source, self._along - met[1], met[0] / 1e9)


def below(found: Depth, goes_in: float) -> Voice:
    """Return what a depth says of a connection.

    Args:
        found: the depth.
        goes_in: from which on a probe slides in by itself [m].
    """
    name = _NAMES[found.source]
    if found.depth is None:
        return Voice(name, None, "m", 0.0, None, found.reason)
    even = goes_in - LATE[found.source]
    ratio = _STEEP * (found.depth - even) / SPREADS[found.source]
    return Voice(name, found.depth, "m", min(_MOST, max(-_MOST, ratio)), found.stamp_s)
