"""The recorded motion of a robot's joints: sampled for placing it, and where it is beyond the limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.scaffolding.contents import JointSeries
from model_nodes.main_physics.world.description import Body, Joint, JointKind

SAMPLES = 200
SPEED_SPAN_NS = 50_000_000
"""Speeds are taken over at least this time, so that the jitter of stamps does not count."""
TOLERANCE = {JointKind.HINGE: 1e-3, JointKind.SLIDE: 1e-4}
"""A joint may be beyond a limit by so much [rad or m]: sensors are no more exact."""
SPEED_TOLERANCE = 0.02


def sampled(motion: Mapping[str, JointSeries], count: int = SAMPLES) -> dict[str, Floats]:
    """Return joint -> (count,) positions at times that are evenly spread over the recording."""
    if not motion:
        return {}
    first = min(series.times_ns[0] for series in motion.values())
    last = max(series.times_ns[-1] for series in motion.values())
    times = np.linspace(float(first), float(last), count)
    return {
        name: np.interp(times, series.times_ns, series.positions) for name, series in motion.items()
    }


def at_time(motion: Mapping[str, JointSeries], time_ns: int) -> dict[str, Floats]:
    """Return joint -> (1,) position at a time."""
    return {
        name: np.interp([float(time_ns)], series.times_ns, series.positions)
        for name, series in motion.items()
    }


def beyond_limits(body: Body, motion: Mapping[str, JointSeries]) -> Iterator[str]:
    """Yield, in words, each joint whose recorded position or speed is beyond the robot's limits."""
    for joint in body.moving_joints:
        series = motion.get(joint.name)
        if series is not None:
            yield from _position(joint, series)
            yield from _speed(joint, series)


def _position(joint: Joint, series: JointSeries) -> Iterator[str]:
    unit = "m" if joint.kind is JointKind.SLIDE else "rad"
    tolerance = TOLERANCE[joint.kind]
    least, greatest = series.range
    if joint.lower is not None and least < joint.lower - tolerance:
        yield (
            f"{joint.name}: position down to {least:.4g} {unit}, beyond its limit"
            f" {joint.lower:.4g} {unit}"
        )
    if joint.upper is not None and greatest > joint.upper + tolerance:
        yield (
            f"{joint.name}: position up to {greatest:.4g} {unit}, beyond its limit"
            f" {joint.upper:.4g} {unit}"
        )


def _speed(joint: Joint, series: JointSeries) -> Iterator[str]:
    unit = "m/s" if joint.kind is JointKind.SLIDE else "rad/s"
    if joint.max_velocity is None or len(series.times_ns) < 2:
        return
    ends = np.searchsorted(series.times_ns, series.times_ns + SPEED_SPAN_NS)
    ends = np.minimum(ends, len(series.times_ns) - 1)
    begins = np.flatnonzero(ends > np.arange(len(ends)))
    ends = ends[begins]
    took = (series.times_ns[ends] - series.times_ns[begins]) / 1e9
    long_enough = took >= SPEED_SPAN_NS / 2e9
    if not long_enough.any():
        return
    moved = np.abs(series.positions[ends] - series.positions[begins])[long_enough]
    speed = float((moved / took[long_enough]).max())
    if speed > joint.max_velocity * (1.0 + SPEED_TOLERANCE):
        yield (
            f"{joint.name}: speed up to {speed:.3g} {unit}, beyond its limit"
            f" {joint.max_velocity:.3g} {unit}"
        )
