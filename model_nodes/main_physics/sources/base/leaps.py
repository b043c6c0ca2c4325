"""Steps of odometry that no robot drives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.steps import intervals, median


class Limits(NamedTuple):
    """What a base does at most, of one kind of motion.

    Attributes:
        step: smaller steps are never a leap [m or rad].
        speed: [m/s or rad/s].
        acceleration: that begins and ends within one interval [m/s^2 or rad/s^2].
    """

    step: float
    speed: float
    acceleration: float


SHIFTS = Limits(0.05, 10.0, 20.0)
TURNS = Limits(0.15, 12.0, 100.0)
_NEIGHBOURS = 4
_FASTER = 5.0
"""A step that is at most this many times as fast as those around it is motion."""


def first_leap(times_ns: Int64s, numbers: Floats) -> int | None:
    """Return the index of the sample before the first leap; None if there is none.

    A leap is a single step that stands out from the motion around it, and is faster than a base drives or begins and
    ends within one interval. Jitter and bursts of stamps are no leaps: an interval counts at least as the usual one.

    Args:
        times_ns: (n,) increasing.
        numbers: (n, 6) as in `path`.
    """
    if len(times_ns) < 2:
        return None
    seconds = intervals(times_ns)
    steps = np.diff(numbers, axis=0)
    shifts = np.linalg.norm(steps[:, :3], axis=1)
    turns = np.linalg.norm(steps[:, 3:], axis=1)
    leaps = _leaps(shifts, seconds, SHIFTS) | _leaps(turns, seconds, TURNS)
    found = np.flatnonzero(leaps)
    return int(found[0]) if len(found) else None


def _leaps(sizes: Floats, seconds: Floats, limits: Limits) -> NDArray[np.bool_]:
    speeds = sizes / seconds
    fast = (speeds > limits.speed) | (speeds > limits.acceleration * seconds)
    return (sizes > limits.step) & fast & (speeds > _FASTER * _around(speeds))


def _around(speeds: Floats) -> Floats:
    """(n,) the median speed of the steps around each."""
    padded = np.pad(speeds, _NEIGHBOURS)
    window = np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1)
    return median(np.delete(window, _NEIGHBOURS, axis=1))
