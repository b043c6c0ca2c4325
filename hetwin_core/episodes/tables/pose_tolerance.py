"""When a believed pose is the true one: the paper's ``=pos``."""

from __future__ import annotations

import math

import numpy as np

from hetwin_core.ensemble.scene.rotations import angles_between
from hetwin_core.ensemble.scene.values import Floats

DISTANCE_M = 0.02
ANGLE = math.radians(10.0)
"""A pose that is farther than these from another one is a different pose [m, rad]."""


def distances(poses: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Return (n,) distances [m] and angles [rad] of (n, 7) poses from others, (n, 7) or (7,)."""
    step = poses[..., :3] - others[..., :3]
    return np.sqrt((step * step).sum(axis=-1)), angles_between(poses[..., 3:], others[..., 3:])
