"""Steps between samples, and how fast they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_facts import JointFacts


def intervals(times_ns: Int64s) -> Floats:
    """Return the intervals between samples [s], each at least the usual one."""
    steps = np.abs(np.diff(times_ns)) / 1e9
    usual = float(np.median(steps)) or 1e-3
    return np.maximum(steps, usual)


def fast(
    steps: Floats, seconds: Floats, joint: str, facts: JointFacts, acceleration: float
) -> NDArray[np.bool_]:
    """Return which steps are faster than the joint, or begin and end with more than `acceleration`."""
    sizes = np.abs(steps)
    fastest = facts.top_speed(joint) * seconds
    return (sizes > facts.least_step(joint)) & (
        (sizes > fastest) | (sizes > acceleration * seconds * seconds)
    )
