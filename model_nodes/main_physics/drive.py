"""The commanded motion of the robots' joints: recorded, mimicked, or held."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.source import JointMotion, Source
from model_nodes.main_physics.world.description import Body, Mimic
from model_nodes.main_physics.world.names import joint_name


class Drive:
    """Completes a source's motion to the motion of all joints of the robots.

    A recorded joint moves as recorded, even if it mimics another in the URDF; other mimic joints follow their
    master; all others hold their initial position: the given one, or the one nearest to zero within their limits.

    Args:
        robots: whose driven joints are commanded, robot by robot.
        source: moves them; None: nothing does.
        start: initial positions that are given, by joint.
        period_ns: of the steps [ns].

    Attributes:
        measured_efforts: (n,) recorded efforts at the time of the last motion [Nm or N], NaN where there are none.
    """

    unchanging = True
    """But for the measured efforts, which the main model saves, it stays as its source and its robots make it."""

    def __init__(
        self,
        robots: Sequence[Body],
        source: Source | None,
        start: Mapping[str, float],
        period_ns: int,
    ) -> None:
        joints = [(body, joint) for body in robots for joint in body.driven_joints]
        names = [joint_name(body, joint) for body, joint in joints]
        self._source = source
        self._driven = np.zeros(len(joints), np.bool_)
        held = [
            start.get(name, joint.resting) for name, (_, joint) in zip(names, joints, strict=True)
        ]
        if source is not None and names:
            source.rest_at(dict(zip(names, held, strict=True)))
            self._driven = np.asarray(source.bind(names, period_ns), np.bool_)
        self._complete, self._any_driven = bool(self._driven.all()), bool(self._driven.any())
        self.measured_efforts: Floats = np.full(len(joints), np.nan)
        self._held = np.where(self._driven, 0.0, np.array(held))
        mimics = [
            (i, self._master(names, body, joint.mimic), joint.mimic.multiplier, joint.mimic.offset)
            for i, (body, joint) in enumerate(joints)
            if joint.mimic is not None and not self._driven[i] and names[i] not in start
        ]
        self._mimics = np.array([m[0] for m in mimics], np.intp)
        self._masters = np.array([m[1] for m in mimics], np.intp)
        self._factors = np.array([m[2] for m in mimics])
        self._offsets = np.array([m[3] for m in mimics])

    @staticmethod
    def _master(names: Sequence[str], body: Body, mimic: Mimic) -> int:
        master = next(joint for joint in body.joints if joint.name == mimic.joint)
        return names.index(joint_name(body, master))

    @property
    def driven(self) -> NDArray[np.bool_]:
        """(n,) whether the source drives each joint."""
        return self._driven

    def at(self, time_ns: int) -> JointMotion:
        """Return the motion of all joints at a time; efforts are 0 where none were recorded."""
        if self._source is None or not self._any_driven:
            return self._complete_motion(_rest(self._held))
        motion = self._source.motion(time_ns)
        self.measured_efforts = efforts = motion.efforts
        if not math.isfinite(efforts.dot(efforts)):  # faster than a test of each
            efforts = np.where(efforts == efforts, efforts, 0.0)
        # A source returns 0 for joints that it does not drive.
        positions = motion.positions if self._complete else motion.positions + self._held
        return self._complete_motion(
            JointMotion(positions, motion.velocities, motion.accelerations, efforts)
        )

    def has_efforts(self, time_ns: int) -> bool:
        """Whether the source has efforts at a time."""
        if self._source is None or not self._any_driven:
            return False
        return not bool(np.isnan(self._source.motion(time_ns).efforts).all())

    def of_masters(self, efforts: Floats) -> Floats:
        """Add the efforts of mimicking joints to those of their masters, which drive them; theirs become NaN."""
        if len(self._mimics):
            shares = efforts[self._mimics] * self._factors
            np.add.at(efforts, self._masters, np.where(np.isnan(shares), 0.0, shares))
            efforts[self._mimics] = np.nan
        return efforts

    def _complete_motion(self, motion: JointMotion) -> JointMotion:
        if not len(self._mimics):
            return motion
        positions = motion.positions.copy()
        velocities, accelerations = motion.velocities.copy(), motion.accelerations.copy()
        mimics, masters = self._mimics, self._masters
        positions[mimics] = positions[masters] * self._factors + self._offsets
        velocities[mimics] = velocities[masters] * self._factors
        accelerations[mimics] = accelerations[masters] * self._factors
        return JointMotion(positions, velocities, accelerations, motion.efforts)


def _rest(positions: Floats) -> JointMotion:
    zeros = np.zeros_like(positions)
    return JointMotion(positions.copy(), zeros, zeros.copy(), zeros.copy())
