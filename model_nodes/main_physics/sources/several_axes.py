"""Positions of a planar or floating joint, which is a chain of scalar ones, from the poses of its link."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.rotations import roll_pitch_yaw
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.world.description import Joint, JointKind

_PLANAR = 3


def chain_of(joint: Joint, joints: Sequence[Joint]) -> list[Joint]:
    """Return the joints of the chain of which a joint is one, from its parent on; itself alone if it has one axis."""
    if not joint.whole:
        return [joint]
    return [one for one in joints if one.whole == joint.whole]


def positions_in_chain(chain: Sequence[Joint], poses: Floats) -> tuple[Floats, float, float]:
    """Return (n, axes) positions, and how far [rad, m] the poses are off what the joint allows at most.

    Args:
        chain: the joints of a planar or floating one.
        poses: (n, 7) of its child in the frame in which it is with all positions at 0.
    """
    slides = np.array([joint.axis for joint in chain if joint.kind is JointKind.SLIDE])
    moved = poses[:, :3] @ slides.T
    if len(chain) > _PLANAR:
        return np.concatenate([moved, _turns(poses)], axis=1), 0.0, 0.0
    normal = np.array(chain[-1].axis)
    sines = poses[:, 4:7] @ normal
    turns = np.unwrap(2.0 * np.arctan2(sines, poses[:, 3]))
    tilt = 2.0 * np.linalg.norm(poses[:, 4:7] - sines[:, None] * normal, axis=1)
    shift = np.linalg.norm(poses[:, :3] - moved @ slides, axis=1)
    nearest = turns - 2.0 * np.pi * np.round(turns[0] / (2.0 * np.pi))
    positions = np.concatenate([moved, nearest[:, None]], axis=1)
    return positions, float(tilt.max()), float(shift.max())


def _turns(poses: Floats) -> Floats:
    """(n, 3) yaw, pitch and roll, each without jumps; about the fixed axes z, y and x."""
    turns: Floats = np.unwrap(roll_pitch_yaw(poses[:, 3:7])[:, ::-1], axis=0)
    return turns
