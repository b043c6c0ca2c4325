"""Facts about the joints that a recording is compared with, and the speed of steps between samples."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scenario.recorded import Units
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.world.description import Body, Joint, JointKind

SI_PER: Mapping[Units, float] = {Units.DEGREES: math.pi / 180.0, Units.MILLIMETRES: 1e-3}
"""The factor from a position to rad or m."""
_SMALLEST_STEP = {JointKind.HINGE: 0.02, JointKind.SLIDE: 0.005}
"""Smaller differences [rad or m] are noise, resolution or delay."""
_USUAL_SPEED = 2.0 * math.pi
"""Largest speed of a joint whose limit is not known [rad/s or m/s]."""
_MARGIN = 1.5
"""A robot may be faster than by its description, by this factor."""


class JointFacts:
    """The joints of robots, by name; without robots nothing is known, and every joint counts as one of theirs."""

    def __init__(self, robots: Sequence[Body] = ()) -> None:
        self._joints: dict[str, Joint] = {j.name: j for b in robots for j in b.driven_joints}
        self.names: frozenset[str] | None = frozenset(self._joints) if robots else None

    def has(self, joint: str) -> bool:
        """Whether a recorded joint may be one of the robots'."""
        return self.names is None or joint in self.names

    def least_step(self, joint: str) -> float:
        """The smallest difference of two positions that counts [rad or m]."""
        known = self._joints.get(joint)
        return _SMALLEST_STEP[JointKind.HINGE if known is None else known.kind]

    def top_speed(self, joint: str) -> float:
        """A speed that the joint does not reach [rad/s or m/s]."""
        known = self._joints.get(joint)
        limit = None if known is None else known.max_velocity
        return _MARGIN * limit if limit else _USUAL_SPEED

    def limits(self, joint: str) -> tuple[float, float] | None:
        """The least and the greatest position [rad or m]; None if they are not known."""
        known = self._joints.get(joint)
        if known is None or known.lower is None or known.upper is None:
            return None
        return known.lower, known.upper

    def slides(self, joint: str) -> bool:
        """Whether the joint is known to slide, and not to turn."""
        known = self._joints.get(joint)
        return known is not None and known.kind is JointKind.SLIDE

    def si_per(self, joint: str, units: Collection[Units]) -> float:
        """The factor from a position to rad or m, by the units in which the robot publishes it."""
        unit = Units.MILLIMETRES if self.slides(joint) else Units.DEGREES
        return SI_PER[unit] if unit in units and joint in self._joints else 1.0

    def turns(self, joint: str) -> bool:
        """Whether the joint is known to turn without end."""
        known = self._joints.get(joint)
        return known is not None and _is_continuous(known)

    def differences(self, joint: str, changes: Floats) -> Floats:
        """Return differences of positions, less whole turns for a joint that may turn without end."""
        if self.names is not None and not self.turns(joint):
            return changes
        return np.asarray(changes - 2.0 * math.pi * np.round(changes / (2.0 * math.pi)))


def _is_continuous(joint: Joint) -> bool:
    return joint.kind is JointKind.HINGE and joint.lower is None and joint.upper is None


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
