"""Steps in recorded series that no robot makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_facts import JointFacts
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.steps import fast, intervals, median

TOP_ACCELERATION = 200.0
"""No joint reaches this within one interval of its samples [rad/s^2 or m/s^2]."""
_NEIGHBOURS = 5
"""Samples on either side that say how fast the joint moves anyway."""
_FASTER = 5.0
"""A step that is at most this many times the usual one is motion."""
_ALONE = 0.25
"""The steps before and after a jump go on with it at most at this share of its speed."""
_MOST = 50
"""Jumps of one joint that are reported."""


def find_jumps(series: Sequence[Series], facts: JointFacts) -> list[Finding]:
    """Find jumps of the robots' joints, the earliest ones of each.

    A jump is a single step that stands out from the motion around it, and is faster than the joint can be or begins
    and ends within one interval. Jitter and bursts of stamps are no jumps: an interval counts at least as the usual
    one.
    """
    return [
        finding
        for one in series
        if len(one.times_ns) > 1
        for joint in one.names
        if facts.has(joint)
        for finding in _jumps_of(one, joint, facts)
    ]


def _jumps_of(series: Series, joint: str, facts: JointFacts) -> Iterable[Finding]:
    positions = series.positions[:, series.names.index(joint)]
    steps = facts.differences(joint, np.diff(positions))
    seconds = intervals(series.times_ns)
    found = np.flatnonzero(fast(steps, seconds, joint, facts, TOP_ACCELERATION))
    if not len(found):
        return
    speeds = steps / seconds
    usual = _speed_around(np.abs(speeds), found)
    excess = np.abs(steps[found]) - _FASTER * usual * seconds[found]
    found = found[(excess > facts.least_step(joint)) & _alone(speeds, found)]
    for at in found[:_MOST]:
        arguments: dict[str, Json] = {
            "joint": joint,
            "topic": series.topic,
            "step": float(steps[at]),
            "velocity": float(abs(steps[at]) / seconds[at]),
        }
        times = series.times_ns
        yield Finding("jump", int(times[at]), int(times[at + 1]), arguments)


def _alone(speeds: Floats, at: Int64s) -> NDArray[np.bool_]:
    """Return which of some steps are single ones: a motion, however quick, takes several."""
    padded = np.pad(speeds, 1)
    before, after = padded[at], padded[at + 2]
    along = np.maximum(before * np.sign(speeds[at]), after * np.sign(speeds[at]))
    return np.asarray(along < _ALONE * np.abs(speeds[at]))


def _speed_around(speeds: Floats, at: Int64s) -> Floats:
    """Return the median speed of the samples around each of some steps."""
    padded = np.pad(speeds, _NEIGHBOURS, constant_values=0.0)
    offsets = [k for k in range(2 * _NEIGHBOURS + 1) if k != _NEIGHBOURS]
    return median(padded[at[:, None] + np.array(offsets)])
