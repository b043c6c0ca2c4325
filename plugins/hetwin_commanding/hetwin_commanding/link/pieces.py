"""Pieces of a plan as controllers get them, at their pace: each ends at rest, on the way that was rehearsed."""

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
"""Between the points of a piece [s]."""
_STOP_POINT_S = 0.02
"""Between the points of a quick stop [s]."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A motion for one controller that ends at rest.

    Attributes:
        controller: name of the controller.
        joints: (n) names.
        times: (k,) after the beginning [s].
        positions, velocities: (k, n) [rad or m, and per second].
    """

    controller: str
    joints: tuple[str, ...]
    times: Floats
    positions: Floats
    velocities: Floats


def state_at(plan: Plan, pace: Pace, elapsed: float) -> State:
    """Return what a plan commands a time [s] after a piece began, each (n,)."""
    progress = pace.at(elapsed)
    state = plan.at(progress.time)
    return State(
        state.positions,
        state.velocities * progress.pace,
        state.accelerations * progress.pace**2 + state.velocities * progress.change,
    )


def pieces_of(plan: Plan, pace: Pace, groups: Sequence[Group]) -> list[Piece]:
    """Return the piece of a plan for each controller whose joints the plan moves."""
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
"""A piece of a plan is this long, its stop included [s]."""
GO_S = 0.2
"""For so long a piece goes on before it slows down [s]."""
STOP_S = 0.08
"""A stop that was asked for takes so long [s]."""
_RISE_S = 0.3
"""From standing still to full pace [s]."""


class Progress(NamedTuple):
    """Where a plan is.

    Attributes:
        time: time of the plan [s].
        pace: seconds of the plan per second, 0 to 1.
        change: change of the pace [1/s].
    """

    time: float
    pace: float
    change: float


@dataclass(frozen=True, slots=True)
class Pace:
    """The progress of one piece: it rises to full pace, goes on, and slows down to a stop.

    Attributes:
        begin: time of the plan at which the piece begins [s].
        first: pace at its beginning.
        go: for how long it goes on before it slows down [s].
        end: its length [s].
    """

    begin: float
    first: float = 1.0
    go: float = GO_S
    end: float = PIECE_S

    def stopping(self, elapsed: float) -> Pace:
        """Return the quick stop from where this piece is after a time [s]."""
        now = self.at(elapsed)
        return Pace(now.time, now.pace, 0.0, STOP_S)

    def next(self, elapsed: float) -> Pace:
        """Return the piece that follows this one after a time [s]."""
        now = self.at(elapsed)
        return Pace(now.time, now.pace)

    def at(self, elapsed: float) -> Progress:
        """Return the progress a time after the piece's beginning [s]."""
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
