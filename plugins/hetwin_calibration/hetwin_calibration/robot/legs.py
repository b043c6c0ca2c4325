"""Motions through waypoints: quintic polynomials, or as fast as bounded jerk allows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from ruckig import InputParameter, Result, Ruckig, RuckigError, Trajectory

from hetwin_suite.model import Floats
from hetwin_suite.robot import MoveLimits

_TRIES = 8
_WITHIN = 1.0 - 1e-9
"""Share of the limits that is used, so that rounding leads to nothing beyond them."""
_PEAKS = (1.875, 10.0 / np.sqrt(3.0), 60.0)
"""Largest velocity, acceleration and jerk of a quintic polynomial from 0 to 1 in one second."""


class State(NamedTuple):
    """Where n joints are, and how they move, each (n,) [rad or m, and per second, and per second again]."""

    positions: Floats
    velocities: Floats
    accelerations: Floats


class Leg(Protocol):
    """The motion from one waypoint to the next."""

    @property
    def duration(self) -> float:
        """Time that it takes [s]."""
        ...

    def at(self, time: float) -> State:
        """Return the motion at a time after its beginning [s], each (n,)."""
        ...


class Samples(NamedTuple):
    """A motion of n joints at k times.

    Attributes:
        times: (k,) [s].
        positions, velocities, accelerations: (k, n) [rad or m, and per second, and per second again].
    """

    times: Floats
    positions: Floats
    velocities: Floats
    accelerations: Floats


class QuinticLeg:
    """All joints on a straight line, by one quintic polynomial of time.

    Args:
        start, goal: (n,) [rad or m].
        limits: of the joints.
    """

    def __init__(self, start: Floats, goal: Floats, limits: MoveLimits) -> None:
        self._start, self._way = start, goal - start
        way = np.abs(self._way)
        bounds = (limits.velocity, limits.acceleration, limits.jerk)
        shortest = [
            float(np.max(peak * way / (limit * _WITHIN))) ** (1.0 / order)
            for order, peak, limit in zip((1, 2, 3), _PEAKS, bounds, strict=True)
        ]
        self.duration = max(shortest)

    def at(self, time: float) -> State:
        """Return the motion at a time after its beginning [s], each (n,)."""
        whole = self.duration
        t = min(max(time / whole, 0.0), 1.0)
        share = t**3 * (10.0 - 15.0 * t + 6.0 * t**2)
        speed = 30.0 * (t * (1.0 - t)) ** 2 / whole
        rise = 60.0 * t * (1.0 - t) * (1.0 - 2.0 * t) / whole**2
        return State(self._start + share * self._way, speed * self._way, rise * self._way)


class FastestLeg:
    """Every joint as fast as the slowest one, by ruckig.

    Args:
        start, goal: (n,) [rad or m].
        limits: of the joints.

    Raises:
        ValueError: if ruckig finds no motion.
    """

    def __init__(self, start: Floats, goal: Floats, limits: MoveLimits) -> None:
        for attempt in range(_TRIES):
            # Where two of its cases meet, ruckig finds neither; beside that point it does.
            found = _by_ruckig(start, goal, limits, _WITHIN * (1.0 - 1e-4 * attempt))
            if found is not None:
                break
        else:
            raise ValueError(f"no motion from {start.tolist()} to {goal.tolist()} was found")
        self._trajectory = found

    @property
    def duration(self) -> float:
        """Time that it takes [s]."""
        return float(self._trajectory.duration)

    def at(self, time: float) -> State:
        """Return the motion at a time after its beginning [s], each (n,)."""
        return State(*(np.array(part) for part in self._trajectory.at_time(time)[:3]))


def _by_ruckig(start: Floats, goal: Floats, limits: MoveLimits, share: float) -> Trajectory | None:
    count = len(start)
    wanted, trajectory = InputParameter(count), Trajectory(count)
    wanted.current_position, wanted.target_position = start.tolist(), goal.tolist()
    wanted.max_velocity = (share * limits.velocity).tolist()
    wanted.max_acceleration = (share * limits.acceleration).tolist()
    wanted.max_jerk = (share * limits.jerk).tolist()
    try:
        result = Ruckig(count).calculate(wanted, trajectory)
    except RuckigError:
        return None
    return trajectory if result == Result.Working else None


def legs_between(waypoints: Floats, limits: MoveLimits, *, fastest: bool) -> list[Leg]:
    """Return the motions between waypoints (k, n) [rad or m] that differ, the fastest or quintic ones."""
    make = FastestLeg if fastest else QuinticLeg
    return [make(a, b, limits) for a, b in pairwise(waypoints) if (a != b).any()]


def sampled(waypoints: Floats, legs: Sequence[Leg], rate: float) -> Samples:
    """Return the motion through waypoints at a rate [1/s], and at each waypoint too.

    Args:
        waypoints: (k, n) [rad or m].
        legs: between those that differ.
        rate: samples per second; they begin at 0.
    """
    rests = np.concatenate(([0.0], np.cumsum([leg.duration for leg in legs])))
    grid = np.arange(int(np.floor(rests[-1] * rate)) + 1) / rate
    grid = grid[np.abs(grid[:, None] - rests).min(axis=1) > 1e-9]
    kept = [waypoints[0]]
    kept += [b for a, b in pairwise(waypoints) if (a != b).any()]
    still = np.zeros(waypoints.shape[1])
    rows = [(time, State(place, still, still)) for time, place in zip(rests, kept, strict=True)]
    for time in grid.tolist():
        i = int(np.searchsorted(rests, time, "right")) - 1
        rows.append((time, legs[i].at(time - float(rests[i]))))
    rows.sort(key=lambda row: row[0])
    states = [np.array(part) for part in zip(*(state for _, state in rows), strict=True)]
    return Samples(np.array([time for time, _ in rows]), *states)
