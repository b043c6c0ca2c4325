"""Splits a plan into pieces for controllers; each piece ends at rest on the rehearsed path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hetwin_commanding.commanded import Group
from hetwin_commanding.plan import Plan
from hetwin_suite.model import Floats
from hetwin_suite.source import MotionState as State

_POINT_S = 0.05
"""Period between the points of a piece [s]."""
_STOP_POINT_S = 0.02
"""Period between the points of a quick stop [s]."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A motion for one controller that ends at rest.

    Attributes:
        controller: name of the controller.
        joints: (n) names of the joints.
        times: (k,) times after the start [s].
        positions, velocities: (k, n) positions [rad or m] and velocities [rad/s or m/s].
    """

    controller: str
    joints: tuple[str, ...]
    times: Floats
    positions: Floats
    velocities: Floats


def state_at(plan: Plan, pace: Pace, elapsed: float) -> State:
    """Return the commanded state at a time [s] after the start of a piece, each (n,)."""
    progress = pace.at(elapsed)
    state = plan.at(progress.time)
    return State(
        state.positions,
        state.velocities * progress.pace,
        state.accelerations * progress.pace**2 + state.velocities * progress.change,
    )


def pieces_of(plan: Plan, pace: Pace, groups: Sequence[Group]) -> list[Piece]:
    """Return a piece for each controller whose joints the plan moves."""
    apart = _POINT_S if pace.go else _STOP_POINT_S
    times = np.linspace(0.0, pace.end, round(pace.end / apart) + 1)[1:]
    states = [state_at(plan, pace, float(time)) for time in times]
    positions = np.array([state.positions for state in states])
    velocities = np.array([state.velocities for state in states])
    velocities[-1] = 0.0
    pieces = []
    for group in groups:
        if plan.moved & set(group.joints):
            index = [plan.names.index(name) for name in group.joints]
            pieces.append(
                Piece(
                    group.controller, group.joints, times, positions[:, index], velocities[:, index]
                )
            )
    return pieces


PIECE_S = 0.45
"""Duration of a piece, with its stop [s]."""
GO_S = 0.2
"""Time after which a piece starts to slow down [s]."""
STOP_S = 0.08
"""Duration of a requested stop [s]."""
_RISE_S = 0.3
"""Time from rest to full pace [s]."""


class Progress(NamedTuple):
    """The progress along a plan.

    Attributes:
        time: time of the plan [s].
        pace: seconds of the plan per second, from 0 to 1.
        change: derivative of the pace [1/s].
    """

    time: float
    pace: float
    change: float


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace of one piece: it rises to full pace, stays there, and slows down to a stop.

    Attributes:
        begin: start of the piece in the plan [s].
        first: pace at the start.
        go: time after which the piece slows down [s].
        end: duration of the piece [s].
    """

    begin: float
    first: float = 1.0
    go: float = GO_S
    end: float = PIECE_S

    def stopping(self, elapsed: float) -> Pace:
        """Return the quick stop that replaces this piece after a time [s]."""
        now = self.at(elapsed)
        return Pace(now.time, now.pace, 0.0, STOP_S)

    def next(self, elapsed: float) -> Pace:
        """Return the piece that replaces this one after a time [s]."""
        now = self.at(elapsed)
        return Pace(now.time, now.pace)

    def at(self, elapsed: float) -> Progress:
        """Return the progress at a time [s] after the start of the piece."""
        elapsed = min(max(elapsed, 0.0), self.end)
        rise = min(self.go, (1.0 - self.first) * _RISE_S)
        top = self.first + rise / _RISE_S
        if elapsed < rise:
            pace = self.first + elapsed / _RISE_S
            return Progress(self.begin + elapsed * (self.first + pace) / 2.0, pace, 1.0 / _RISE_S)
        risen = self.begin + rise * (self.first + top) / 2.0
        if elapsed < self.go:
            return Progress(risen + (elapsed - rise) * top, top, 0.0)
        slowing, gone = self.end - self.go, elapsed - self.go
        pace = top * (1.0 - gone / slowing)
        time = risen + (self.go - rise) * top + gone * (top + pace) / 2.0
        return Progress(time, pace, -top / slowing if elapsed < self.end else 0.0)
