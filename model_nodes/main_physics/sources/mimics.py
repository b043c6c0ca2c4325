"""Joints that mimic others and are not moved themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.part import JointMotion
from model_nodes.main_physics.world.description import Body, Mimic
from model_nodes.main_physics.world.names import joint_name


class Mimics:
    """Makes joints follow their masters, unless they are moved or their position is given.

    Args:
        robots: with their driven joints, in the order of these.
        start: initial positions that are given, by the scene's name of a joint.
        driven: (n,) which of the joints are moved.
    """

    def __init__(
        self, robots: Sequence[Body], start: Mapping[str, float], driven: NDArray[np.bool_]
    ) -> None:
        joints = [(body, joint) for body in robots for joint in body.driven_joints]
        names = [joint_name(body, joint) for body, joint in joints]
        found = [
            (i, _master(names, body, joint.mimic), joint.mimic.multiplier, joint.mimic.offset)
            for i, (body, joint) in enumerate(joints)
            if joint.mimic is not None and not driven[i] and names[i] not in start
        ]
        self._mimics = np.array([m[0] for m in found], np.intp)
        self._masters = np.array([m[1] for m in found], np.intp)
        self._factors = np.array([m[2] for m in found])
        self._offsets = np.array([m[3] for m in found])

    def __len__(self) -> int:
        """Number of joints that follow."""
        return len(self._mimics)

    def follow(self, motion: JointMotion) -> JointMotion:
        """Return a motion in which they follow their masters."""
        mimics, masters = self._mimics, self._masters
        positions = motion.positions.copy()
        velocities, accelerations = motion.velocities.copy(), motion.accelerations.copy()
        positions[mimics] = positions[masters] * self._factors + self._offsets
        velocities[mimics] = velocities[masters] * self._factors
        accelerations[mimics] = accelerations[masters] * self._factors
        return JointMotion(positions, velocities, accelerations, motion.efforts)

    def of_masters(self, efforts: Floats) -> Floats:
        """Add the efforts of mimicking joints to those of their masters, which drive them; theirs become NaN."""
        shares = efforts[self._mimics] * self._factors
        np.add.at(efforts, self._masters, np.where(np.isnan(shares), 0.0, shares))
        efforts[self._mimics] = np.nan
        return efforts


def _master(names: Sequence[str], body: Body, mimic: Mimic) -> int:
    master = next(joint for joint in body.joints if joint.name == mimic.joint)
    return names.index(joint_name(body, master))
