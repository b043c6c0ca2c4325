"""Motions through waypoints: quintic polynomials, or time-optimal motions with bounded jerk."""

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
"""Share of the limits that is used, so that rounding errors do not exceed them."""
_PEAKS = (1.875, 10.0 / np.sqrt(3.0), 60.0)
"""Peak velocity, acceleration and jerk of a quintic polynomial from 0 to 1 in 1 s."""


class State(NamedTuple):
    """Positions, velocities and accelerations of n joints, each (n,) [rad or m, per s, per s^2]."""

    positions: Floats
    velocities: Floats
    accelerations: Floats


class Leg(Protocol):
    """The motion from one waypoint to the next."""

    @property
    def duration(self) -> float:
        """Duration of the motion [s]."""
        ...

    def at(self, time: float) -> State:
        """Return the state at a time after the start of the motion [s]."""
        ...


class Samples(NamedTuple):
    """A motion of n joints at k times.

    Attributes:
        times: (k,) [s].
        positions, velocities, accelerations: (k, n) [rad or m, per s, per s^2].
    """

    times: Floats
    positions: Floats
    velocities: Floats
    accelerations: Floats


class QuinticLeg:
    """A straight motion in joint space, with one quintic polynomial of time for all joints.

    Args:
        start, goal: (n,) joint positions [rad or m].
        limits: limits of the joints.
    """

    def __init__(self, start: Floats, goal: Floats, limits: MoveLimits) -> None:
        self._start, self._way = start, goal - start
        displacement = np.abs(self._way)
        bounds = (limits.velocity, limits.acceleration, limits.jerk)
        shortest = [
            float(np.max(peak * displacement / (limit * _WITHIN))) ** (1.0 / order)
            for order, peak, limit in zip((1, 2, 3), _PEAKS, bounds, strict=True)
        ]
        self.duration = max(shortest)

    def at(self, time: float) -> State:
        """Return the state at a time after the start of the motion [s]."""
        whole = self.duration
        t = min(max(time / whole, 0.0), 1.0)
        share = t**3 * (10.0 - 15.0 * t + 6.0 * t**2)
        speed = 30.0 * (t * (1.0 - t)) ** 2 / whole
        rise = 60.0 * t * (1.0 - t) * (1.0 - 2.0 * t) / whole**2
        return State(self._start + share * self._way, speed * self._way, rise * self._way)


class FastestLeg:
    """A time-optimal motion with bounded jerk, in which all joints arrive together, by ruckig.

    Args:
        start, goal: (n,) joint positions [rad or m].
        limits: limits of the joints.

    Raises:
        ValueError: if ruckig finds no motion.
    """

    def __init__(self, start: Floats, goal: Floats, limits: MoveLimits) -> None:
        for attempt in range(_TRIES):
            # At the boundary of two of its cases ruckig may find no motion; slightly lower limits avoid that.
            found = _by_ruckig(start, goal, limits, _WITHIN * (1.0 - 1e-4 * attempt))
            if found is not None:
                break
        else:
            raise ValueError(f"no motion from {start.tolist()} to {goal.tolist()} was found")
        self._trajectory = found

    @property
    def duration(self) -> float:
        """Duration of the motion [s]."""
        return float(self._trajectory.duration)

    def at(self, time: float) -> State:
        """Return the state at a time after the start of the motion [s]."""
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
    """Return the time-optimal or quintic motions between distinct consecutive waypoints (k, n) [rad or m]."""
    make = FastestLeg if fastest else QuinticLeg
    return [make(a, b, limits) for a, b in pairwise(waypoints) if (a != b).any()]


def sampled(waypoints: Floats, legs: Sequence[Leg], rate: float) -> Samples:
    """Sample the motion through waypoints at a rate, and additionally at each waypoint.

    Args:
        waypoints: (k, n) joint positions [rad or m].
        legs: motions between distinct consecutive waypoints.
        rate: samples per second, from time 0 on.
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
