"""Keeps a base on its planned way by velocities."""

from __future__ import annotations

import math
from typing import NamedTuple

from hetwin_core.kinematics.base_moves import BaseState, PlanarPose
from hetwin_suite.commanding.link.base_heard import seen_from

_ALONG, _ACROSS, _HEADING = 1.5, 3.0, 2.0
"""Velocity per error: forward [1/s], turn per way to the side [rad/s/m, while it drives], turn [1/s]."""
_REACHED_M, _REACHED_RAD = 0.03, 0.03
_AWAY_M, _AWAY_RAD = 0.2, 0.35
"""A base that is further off its way deviates."""
_MORE = 1.2
"""Share of the planned velocities that control may use."""


class Twist(NamedTuple):
    """A velocity: forward [m/s] and about z [rad/s]."""

    forward: float = 0.0
    turn: float = 0.0


def control(wanted: BaseState, pace: float, here: PlanarPose, limits: tuple[float, float]) -> Twist:
    """Return the velocity that follows the way.

    Args:
        wanted: where the base is to be now, and how fast there.
        pace: share of that velocity.
        here: where it is.
        limits: largest velocities, forward [m/s] and about z [rad/s].
    """
    ahead = seen_from(here, wanted.pose)
    forward = wanted.forward * pace + _ALONG * ahead.x
    turn = wanted.turn * pace + _HEADING * ahead.yaw
    if abs(forward) > 0.01:
        turn += math.copysign(_ACROSS, forward) * ahead.y * min(1.0, abs(wanted.forward) * 10.0)
    return Twist(_within(forward, _MORE * limits[0]), _within(turn, _MORE * limits[1]))


def is_there(wanted: PlanarPose, here: PlanarPose) -> bool:
    """Whether a base has reached its goal."""
    apart = seen_from(here, wanted)
    return math.hypot(apart.x, apart.y) <= _REACHED_M and abs(apart.yaw) <= _REACHED_RAD


def deviates(wanted: PlanarPose, here: PlanarPose) -> bool:
    """Whether a base is too far from its way."""
    apart = seen_from(here, wanted)
    return math.hypot(apart.x, apart.y) > _AWAY_M or abs(apart.yaw) > _AWAY_RAD


def _within(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)
