"""Whether a robot has just said where it is, and still is where a plan begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hetwin_suite.commanding.planning import START_TOLERANCE
from hetwin_suite.commanding.refusal import Refusal, Rule
from model_nodes.consistency.heard import JointAge

STALE_S = 0.2
"""A state that arrived longer ago is stale [s]."""


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
