"""Chains some of whose joints are held where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from transforms3d.quaternions import axangle2quat, qmult, rotate_vector

from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.segment import Segment


def held_chain(chain: Chain, held: Mapping[str, float]) -> Chain:
    """Return the chain of the other joints, while these are held.

    Args:
        chain: the whole.
        held: position of each held joint [rad or m].
    """
    if not held:
        return chain
    return Chain([_held(s, held[s.leader]) if s.leader in held else s for s in chain.segments])


def _held(segment: Segment, position: float) -> Segment:
    """The segment with its joint fixed, its leader at a position."""
    at = segment.multiplier * position + segment.offset
    axis, anchor = np.array(segment.axis, np.float64), np.array(segment.anchor, np.float64)
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    shift = at * axis
    if not segment.slides:
        turn = axangle2quat(axis, at)
        shift = anchor - rotate_vector(anchor, turn)
    place, rotation = np.array(segment.pose[:3]), np.array(segment.pose[3:])
    pose = (*(place + rotate_vector(shift, rotation)), *qmult(rotation, turn))
    return replace(
        segment, pose=tuple(map(float, pose)), joint="", follows="", multiplier=1.0, offset=0.0
    )
