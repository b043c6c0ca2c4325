"""Rotations about the vertical, as unit quaternions w x y z."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hetwin_core.ensemble.scene.poses import Quaternion, conjugate, multiply
from model_nodes.main_physics.world.description import Pose


def turn_about_vertical(quaternion: Sequence[float]) -> float:
    """Return the angle [rad] of the part of a rotation that is about the vertical, between -pi and pi."""
    angle = 2.0 * math.atan2(quaternion[3], quaternion[0])
    return math.remainder(angle, 2.0 * math.pi)


def about_vertical(angle: float) -> Quaternion:
    """Return the rotation by an angle [rad] about the vertical."""
    return (math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle))


def put_at(pose: Pose, x: float, y: float, yaw: float) -> Pose:
    """Return a pose moved to a place and a heading in the plane; its height and its tilt remain."""
    tilt = multiply(about_vertical(-turn_about_vertical(pose[3:7])), pose[3:7])
    return (x, y, pose[2], *multiply(about_vertical(yaw), tilt))


def turn_between(first: Sequence[float], second: Sequence[float]) -> float:
    """Return by which angle about the vertical [rad] the first rotation is turned to become the second one."""
    return turn_about_vertical(multiply(second, conjugate(first)))
