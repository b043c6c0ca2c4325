"""Poses of seven numbers, x y z [m], qw qx qy qz: one in the frame of another, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hetwin_core.ensemble.scene.poses import conjugate, multiply, normalized, rotate
from hetwin_core.kinematics.planar import PlanarPose
from model_nodes.robot_program.messages import Pose


def within(frame: Sequence[float], pose: Sequence[float]) -> Pose:
    """Return a pose in a frame as one where the frame is."""
    x, y, z = rotate(frame[3:7], pose[:3])
    turn = normalized(multiply(frame[3:7], pose[3:7]))
    return (x + frame[0], y + frame[1], z + frame[2], *turn)


def seen_from(frame: Sequence[float], pose: Sequence[float]) -> Pose:
    """Return a pose as one in a frame; the inverse of `within`."""
    back = conjugate(frame[3:7])
    offset = tuple(a - b for a, b in zip(pose[:3], frame[:3], strict=True))
    return (*rotate(back, offset), *normalized(multiply(back, pose[3:7])))


def planar(pose: Sequence[float]) -> PlanarPose:
    """Return place and heading of a pose."""
    w, x, y, z = pose[3:7]
    return PlanarPose(
        pose[0], pose[1], math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    )
