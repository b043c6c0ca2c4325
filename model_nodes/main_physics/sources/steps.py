"""Steps between samples, and how fast they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_facts import JointFacts


def median(values: NDArray[np.float64] | Int64s) -> Floats:
    """Return the median along the last axis; NaN without values.

    The same as NumPy's for finite values; that one imports all of the masked arrays first.
    """
    count = values.shape[-1]
    if not count:
        return np.full(values.shape[:-1], np.nan)
    ordered = np.sort(values, axis=-1).astype(np.float64)
    return np.asarray((ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2)


def intervals(times_ns: Int64s) -> Floats:
    """Return the intervals between samples [s], each at least the usual one."""
    steps = np.abs(np.diff(times_ns)) / 1e9
    usual = float(median(steps)) or 1e-3
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
