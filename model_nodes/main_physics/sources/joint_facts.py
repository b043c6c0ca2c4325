"""Facts about the robots' joints for checks of a recording, and the speed of steps between samples."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scenario.recorded import PositionUnit
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.world.description import Body, Joint, JointKind

SI_PER: Mapping[PositionUnit, float] = {
    PositionUnit.DEGREES: math.pi / 180.0,
    PositionUnit.MILLIMETRES: 1e-3,
}
"""Factor from a position in this unit to rad or m."""
_SMALLEST_STEP = {JointKind.HINGE: 0.02, JointKind.SLIDE: 0.005}
"""Differences below these [rad or m] are attributed to noise, resolution or delay."""
_USUAL_SPEED = 2.0 * math.pi
"""Maximum speed of a joint without a known limit [rad/s or m/s]."""
_MARGIN = 1.5
"""Factor by which a robot may be faster than its description."""


class JointFacts:
    """The joints of robots, by name; without robots nothing is known, and every joint counts as the robots'."""

    def __init__(self, robots: Sequence[Body] = ()) -> None:
        self._joints: dict[str, Joint] = {j.name: j for b in robots for j in b.driven_joints}
        self.names: frozenset[str] | None = frozenset(self._joints) if robots else None

    def has(self, joint: str) -> bool:
        """Whether a recorded joint may belong to the robots."""
        return self.names is None or joint in self.names

    def min_step(self, joint: str) -> float:
        """The smallest difference of two positions that is significant [rad or m]."""
        known = self._joints.get(joint)
        return _SMALLEST_STEP[JointKind.HINGE if known is None else known.kind]

    def top_speed(self, joint: str) -> float:
        """A speed that the joint cannot reach [rad/s or m/s]."""
        known = self._joints.get(joint)
        limit = None if known is None else known.max_velocity
        return _MARGIN * limit if limit else _USUAL_SPEED

    def limits(self, joint: str) -> tuple[float, float] | None:
        """Lower and upper limit [rad or m]; None if unknown."""
        known = self._joints.get(joint)
        if known is None or known.lower is None or known.upper is None:
            return None
        return known.lower, known.upper

    def is_prismatic(self, joint: str) -> bool:
        """Whether the joint is known to be prismatic."""
        known = self._joints.get(joint)
        return known is not None and known.kind is JointKind.SLIDE

    def si_per(self, joint: str, units: Collection[PositionUnit]) -> float:
        """The factor from a position to rad or m, for the units in which the robot publishes."""
        unit = PositionUnit.MILLIMETRES if self.is_prismatic(joint) else PositionUnit.DEGREES
        return SI_PER[unit] if unit in units and joint in self._joints else 1.0

    def is_continuous(self, joint: str) -> bool:
        """Whether the joint is known to be continuous, that is, to rotate without limits."""
        known = self._joints.get(joint)
        return known is not None and _is_continuous(known)

    def differences(self, joint: str, changes: Floats) -> Floats:
        """Return differences of positions; for a joint that may be continuous, without whole revolutions."""
        if self.names is not None and not self.is_continuous(joint):
            return changes
        return np.asarray(changes - 2.0 * math.pi * np.round(changes / (2.0 * math.pi)))


def _is_continuous(joint: Joint) -> bool:
    return joint.kind is JointKind.HINGE and joint.lower is None and joint.upper is None


def median(values: NDArray[np.float64] | Int64s) -> Floats:
    """Return the median along the last axis; NaN without values.

    Equals NumPy's median for finite values, but does not import masked arrays.
    """
    count = values.shape[-1]
    if not count:
        return np.full(values.shape[:-1], np.nan)
    ordered = np.sort(values, axis=-1).astype(np.float64)
    return np.asarray((ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2)


def intervals(times_ns: Int64s) -> Floats:
    """Return the intervals between samples [s], each at least as long as the usual one."""
    steps = np.abs(np.diff(times_ns)) / 1e9
    usual = float(median(steps)) or 1e-3
    return np.maximum(steps, usual)


def are_fast(
    steps: Floats, seconds: Floats, joint: str, facts: JointFacts, acceleration: float
) -> NDArray[np.bool_]:
    """Return which steps are faster than the joint, or need more than `acceleration` within their interval."""
    sizes = np.abs(steps)
    fastest = facts.top_speed(joint) * seconds
    return (sizes > facts.min_step(joint)) & (
        (sizes > fastest) | (sizes > acceleration * seconds * seconds)
    )
