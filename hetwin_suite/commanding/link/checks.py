"""Whether a robot has just said where it is, and still is where a plan begins."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from hetwin_core.kinematics.planar import PlanarPose
from hetwin_suite.commanding.link.base_heard import BaseFix, seen_from
from hetwin_suite.commanding.planning import START_TOLERANCE
from hetwin_suite.commanding.refusal import Refusal, Rule
from model_nodes.consistency.live_robot import JointAge

STALE_S = 0.2
"""A state that arrived longer ago is stale [s]."""
_BASE_TOLERANCE = 0.05
"""A base begins no further from where it was when the plan was made [m and rad]; localization is not steadier."""


def stale(joints: Iterable[str], heard: Mapping[str, JointAge]) -> list[Refusal]:
    """Return the joints whose last state is too old, by when it arrived.

    Args:
        joints: that are to be commanded; all were heard of at some time.
        heard: the last states.
    """
    return [
        Refusal(Rule.STALE, name, 0.0, round(heard[name].age, 3), STALE_S)
        for name in joints
        if heard[name].age > STALE_S
    ]


def moved_since(
    planned: Mapping[str, float], heard: Mapping[str, JointAge], joints: Iterable[str]
) -> list[Refusal]:
    """Return the joints that are no longer where they were when the plan was made.

    Args:
        planned: positions from which the plan begins, by joint [rad or m].
        heard: the last states.
        joints: to be looked at.
    """
    apart = {
        name: abs(heard[name].position - planned[name])
        for name in joints
        if name in heard and name in planned
    }
    return [
        Refusal(Rule.START, name, 0.0, round(distance, 6), START_TOLERANCE)
        for name, distance in apart.items()
        if distance > START_TOLERANCE
    ]


def base_refusals(fix: BaseFix | None, planned: PlanarPose, now: float) -> list[Refusal]:
    """Return why the base may not be driven: it has not been heard lately, or has moved since the plan was made.

    Args:
        fix: where it is; None: it was never heard.
        planned: from where the plan begins.
        now: by the monotonic clock [s].
    """
    age = None if fix is None else round(now - fix.arrived, 3)
    if fix is None or age is None or age > STALE_S:
        return [Refusal(Rule.STALE, "base", 0.0, age, STALE_S)]
    apart = seen_from(fix.pose, planned)
    distance = max(math.hypot(apart.x, apart.y), abs(apart.yaw))
    if distance > _BASE_TOLERANCE:
        return [Refusal(Rule.START, "base", 0.0, round(distance, 6), _BASE_TOLERANCE)]
    return []
