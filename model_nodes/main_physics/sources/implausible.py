"""Implausible parts of a recording: pauses, jumps, and positions in other units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scenario.recorded import PositionUnit
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_facts import (
    SI_PER,
    JointFacts,
    are_fast,
    intervals,
    median,
)
from model_nodes.main_physics.sources.joint_series import Series

GAP_INTERVALS = 5
MIN_GAP_NS = 200_000_000
_FREQUENT = 0.98
_PAUSES = 3
"""In a stream with frequent pauses, only pauses this many times as long are gaps."""
MIN_ABSENCE_NS = 1_000_000_000
"""Time by which joint states may start later and end earlier than a recording."""


def find_gaps(series: Sequence[Series], duration_ns: int, facts: JointFacts) -> list[Finding]:
    """Find pauses of more than 0.2 s that stand out in their stream, and at least 1 s without samples at either end.

    The findings have the arguments topic, joints, duration [s] and the usual (median) interval [s].
    """
    found: list[Finding] = []
    for stream in series:
        joints = [joint for joint in stream.names if facts.has(joint)]
        if joints and len(stream.times_ns) > 1:
            found += _gaps_of(stream, joints, duration_ns)
    return found


def _gaps_of(series: Series, joints: Sequence[str], duration_ns: int) -> Iterable[Finding]:
    times = series.times_ns
    intervals = np.diff(times)
    usual = float(np.median(intervals))
    frequent = float(np.quantile(intervals, _FREQUENT, method="lower"))
    minimum = max(GAP_INTERVALS * usual, _PAUSES * frequent)
    ends = [(0, int(times[0])), (int(times[-1]), duration_ns)]
    pauses = [(int(times[i]), int(times[i + 1])) for i in np.flatnonzero(intervals > MIN_GAP_NS)]
    for kind, shortest in ((pauses, MIN_GAP_NS), (ends, MIN_ABSENCE_NS)):
        for begin, end in kind:
            if end - begin > max(shortest, minimum):
                arguments: dict[str, Json] = {
                    "topic": series.topic,
                    "joints": list(joints),
                    "duration": (end - begin) / 1e9,
                    "usual": usual / 1e9,
                }
                yield Finding("gap", begin, end, arguments)


TOP_ACCELERATION = 200.0
"""Acceleration that no joint reaches within one interval of its samples [rad/s^2 or m/s^2]."""
_NEIGHBOURS = 5
"""Number of samples on either side from which the usual speed is computed."""
_SPEED_RATIO = 5.0
"""A step at most this many times the usual one is motion."""
_MAX_NEIGHBOUR_RATIO = 0.25
"""Maximum ratio of the speeds before and after a jump, in its direction, to the jump's own."""
_MAX_JUMPS = 50
"""Maximum number of jumps per joint that are reported."""


def find_jumps(series: Sequence[Series], facts: JointFacts) -> list[Finding]:
    """Find jumps of the robots' joints; for each joint only the earliest ones are reported.

    A jump is a single step that stands out from the motion around it, and is faster than the joint can move, or than it
    can accelerate and brake within one interval. Jitter and bursts of stamps are not jumps: each interval counts as at
    least the usual one.
    """
    return [
        finding
        for stream in series
        if len(stream.times_ns) > 1
        for joint in stream.names
        if facts.has(joint)
        for finding in _jumps_of(stream, joint, facts)
    ]


def _jumps_of(series: Series, joint: str, facts: JointFacts) -> Iterable[Finding]:
    positions = series.positions[:, series.names.index(joint)]
    steps = facts.differences(joint, np.diff(positions))
    seconds = intervals(series.times_ns)
    found = np.flatnonzero(are_fast(steps, seconds, joint, facts, TOP_ACCELERATION))
    if not len(found):
        return
    speeds = steps / seconds
    usual = _median_speed_nearby(np.abs(speeds), found)
    excess = np.abs(steps[found]) - _SPEED_RATIO * usual * seconds[found]
    found = found[(excess > facts.min_step(joint)) & _are_single(speeds, found)]
    for index in found[:_MAX_JUMPS]:
        arguments: dict[str, Json] = {
            "joint": joint,
            "topic": series.topic,
            "step": float(steps[index]),
            "velocity": float(abs(steps[index]) / seconds[index]),
        }
        times = series.times_ns
        yield Finding("jump", int(times[index]), int(times[index + 1]), arguments)


def _are_single(speeds: Floats, indices: Int64s) -> NDArray[np.bool_]:
    """Return which of some steps stand alone: even a quick motion takes several steps."""
    padded = np.pad(speeds, 1)
    before, after = padded[indices], padded[indices + 2]
    neighbours = np.maximum(before * np.sign(speeds[indices]), after * np.sign(speeds[indices]))
    return np.asarray(neighbours < _MAX_NEIGHBOUR_RATIO * np.abs(speeds[indices]))


def _median_speed_nearby(speeds: Floats, indices: Int64s) -> Floats:
    """Return the median speed of the samples around each of some steps."""
    padded = np.pad(speeds, _NEIGHBOURS, constant_values=0.0)
    offsets = [k for k in range(2 * _NEIGHBOURS + 1) if k != _NEIGHBOURS]
    return median(padded[indices[:, None] + np.array(offsets)])


_OTHER_UNIT_RATIO = 2.0
"""A joint that exceeds a limit by this factor or more has other units, or belongs to another robot."""
_TOLERANCE = 1.02
"""In the right units the limits are exceeded by at most this factor."""


def find_other_units(series: Sequence[Series], facts: JointFacts) -> Iterator[Finding]:
    """Yield a finding for joints that exceed their limits so much that they seem to be recorded in other units.

    In the other unit all joints of that kind must be within their limits, and in SI units half of the moving ones must
    be beyond them. The findings have the arguments unit, factor (units per rad or m), joints and topic.
    """
    for unit in PositionUnit:
        ratios = _ratios(series, facts, unit)
        beyond = [joint for joint, ratio in ratios.items() if ratio > _OTHER_UNIT_RATIO]
        moving = [joint for joint, ratio in ratios.items() if ratio > 0.0]
        fits = all(ratio * SI_PER[unit] <= _TOLERANCE for ratio in ratios.values())
        if beyond and fits and 2 * len(beyond) >= len(moving):
            topics = {s.topic: None for s in series if not set(beyond).isdisjoint(s.names)}
            arguments: dict[str, Json] = {
                "unit": unit.value,
                "factor": round(1.0 / SI_PER[unit]),
                "topic": ", ".join(topics),
                "joints": list(beyond),
            }
            yield Finding("other_units", 0, 0, arguments)


def _ratios(series: Sequence[Series], facts: JointFacts, unit: PositionUnit) -> dict[str, float]:
    """Return joint -> ratio of its largest position to its limit, for the joints that may have this unit."""
    found = {}
    for stream in series:
        for column, joint in enumerate(stream.names):
            limits = facts.limits(joint)
            if limits is None or facts.is_prismatic(joint) is not (
                unit is PositionUnit.MILLIMETRES
            ):
                continue
            limit = max(abs(limits[0]), abs(limits[1]))
            if limit > 0.0:
                found[joint] = float(np.max(np.abs(stream.positions[:, column]))) / limit
    return found
