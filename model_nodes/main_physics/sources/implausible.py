"""Implausible parts of a recording: pauses, jumps, and positions in other units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scenario.recorded import Units
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_facts import SI_PER, JointFacts, fast, intervals, median
from model_nodes.main_physics.sources.joint_series import Series

GAP_INTERVALS = 5
LEAST_GAP_NS = 200_000_000
_FREQUENT = 0.98
_PAUSES = 3
"""Of a stream that pauses again and again, only pauses this many times as long as those are gaps."""
LEAST_ABSENCE_NS = 1_000_000_000
"""Joint states may begin later and end earlier than a recording by this much."""


def find_gaps(series: Sequence[Series], duration_ns: int, facts: JointFacts) -> list[Finding]:
    """Find pauses of more than 0.2 s that stand out in their stream, and 1 s without samples at either end.

    The arguments are topic, joints, duration [s] and the usual (median) interval [s].
    """
    found: list[Finding] = []
    for one in series:
        joints = [joint for joint in one.names if facts.has(joint)]
        if joints and len(one.times_ns) > 1:
            found += _gaps_of(one, joints, duration_ns)
    return found


def _gaps_of(series: Series, joints: Sequence[str], duration_ns: int) -> Iterable[Finding]:
    times = series.times_ns
    intervals = np.diff(times)
    usual = float(np.median(intervals))
    frequent = float(np.quantile(intervals, _FREQUENT, method="lower"))
    least = max(GAP_INTERVALS * usual, _PAUSES * frequent)
    ends = [(0, int(times[0])), (int(times[-1]), duration_ns)]
    pauses = [(int(times[i]), int(times[i + 1])) for i in np.flatnonzero(intervals > LEAST_GAP_NS)]
    for kind, shortest in ((pauses, LEAST_GAP_NS), (ends, LEAST_ABSENCE_NS)):
        for begin, end in kind:
            if end - begin > max(shortest, least):
                arguments: dict[str, Json] = {
                    "topic": series.topic,
                    "joints": list(joints),
                    "duration": (end - begin) / 1e9,
                    "usual": usual / 1e9,
                }
                yield Finding("gap", begin, end, arguments)


TOP_ACCELERATION = 200.0
"""No joint reaches this within one interval of its samples [rad/s^2 or m/s^2]."""
_NEIGHBOURS = 5
"""Samples on either side that show how fast the joint moves anyway."""
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


_BEYOND = 2.0
"""A joint that passes a limit by this factor or more is in other units, or another robot's."""
_TOLERANCE = 1.02
"""In the right units its limits are passed by at most this factor."""


def unlike_si(series: Sequence[Series], facts: JointFacts) -> Iterator[Finding]:
    """Yield which joints pass their limits by so much that their positions look to be in other units.

    All joints of that kind must be within their limits in the other unit, and half of those that move beyond them in
    SI units. The arguments are unit, factor (how many of the unit are one rad or m), joints and topic.
    """
    for unit in Units:
        ratios = _ratios(series, facts, unit)
        beyond = [joint for joint, ratio in ratios.items() if ratio > _BEYOND]
        moving = [joint for joint, ratio in ratios.items() if ratio > 0.0]
        fits = all(ratio * SI_PER[unit] <= _TOLERANCE for ratio in ratios.values())
        if beyond and fits and 2 * len(beyond) >= len(moving):
            topics = {one.topic: None for one in series if not set(beyond).isdisjoint(one.names)}
            arguments: dict[str, Json] = {
                "unit": unit.value,
                "factor": round(1.0 / SI_PER[unit]),
                "topic": ", ".join(topics),
                "joints": list(beyond),
            }
            yield Finding("other_units", 0, 0, arguments)


def _ratios(series: Sequence[Series], facts: JointFacts, unit: Units) -> dict[str, float]:
    """Return joint -> its greatest position in shares of its limit, of the joints that may have this unit."""
    found = {}
    for one in series:
        for column, joint in enumerate(one.names):
            limits = facts.limits(joint)
            if limits is None or facts.slides(joint) is not (unit is Units.MILLIMETRES):
                continue
            limit = max(abs(limits[0]), abs(limits[1]))
            if limit > 0.0:
                found[joint] = float(np.max(np.abs(one.positions[:, column]))) / limit
    return found
