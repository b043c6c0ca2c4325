"""Pieces of a plan, as the robot's controllers get them: each ends at rest, on the way that was rehearsed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.trajectories.trajectory import State
from hetwin_suite.commanding.commanded import Group
from hetwin_suite.commanding.link.pace import Pace
from hetwin_suite.commanding.plan import Plan

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
