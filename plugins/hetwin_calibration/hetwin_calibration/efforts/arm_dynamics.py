"""Efforts of an arm's joints by rigid-body dynamics, and the efforts that a load on its last link adds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_suite.engine import Body, InverseDynamics, World, joint_name
from hetwin_suite.model import Floats

_STEP = 1e-3
"""Displacement of a unit mass in the finite differences by its position [m]."""


class ArmDynamics:
    """Computes efforts of some joints of a robot while its other joints rest.

    Args:
        robot: the robot with these joints.
        joints: names of the joints in the scene, from the base on; each joint moves the next.
        gravity: gravity in the world [m/s^2].

    Attributes:
        last: name of the link that carries the load, moved by the last joint.
    """

    def __init__(
        self, robot: Body, joints: Sequence[str], gravity: Floats | tuple[float, float, float]
    ) -> None:
        world = World("efforts", bodies=(robot,), gravity=tuple(gravity))
        driven = {joint_name(robot, joint): i for i, joint in enumerate(robot.driven_joints)}
        self._at = np.array([driven[name] for name in joints], np.intp)
        resting = np.array([joint.resting for joint in robot.driven_joints])
        self._motion = resting, np.zeros(len(resting)), np.zeros(len(resting))
        self._inverse = InverseDynamics(world)
        self._carried = InverseDynamics(world)
        self.last = robot.driven_joints[driven[joints[-1]]].child
        self._link = 1 + [link.name for link in robot.links].index(self.last)
        self._carried.clear_masses()

    def rigid(self, positions: Floats, velocities: Floats, accelerations: Floats) -> Floats:
        """Return efforts (n,) by rigid-body dynamics, without friction [Nm or N]."""
        motion = self._of_all(positions, velocities, accelerations)
        found: Floats = self._inverse.rigid(*motion)[self._at]
        return found

    def loads(self, positions: Floats, velocities: Floats, accelerations: Floats) -> Floats:
        """Return efforts (n, 4) of 1 kg at the origin of the last link, and of 1 kg m along each of its axes."""
        motion = self._of_all(positions, velocities, accelerations)
        rows = []
        for place in _PLACES:
            self._carried.put_mass(self._link, place)
            rows.append(self._carried.rigid(*motion)[self._at])
        found = np.stack(rows, axis=1)
        found[:, 1:] = (found[:, 1:] - found[:, :1]) / _STEP
        return found

    def _of_all(self, *motion: Floats) -> tuple[Floats, ...]:
        for all_of_them, own in zip(self._motion, motion, strict=True):
            all_of_them[self._at] = own
        return self._motion


_PLACES = np.concatenate([np.zeros((1, 3)), _STEP * np.eye(3)])


def arms_of(robot: Body, joints: Sequence[str]) -> list[list[str]]:
    """Group driven joints of a robot into kinematic chains, the longest first."""
    known = {joint_name(robot, joint): joint for joint in robot.driven_joints}
    above = {joint.child: joint for joint in robot.joints}

    def chain(name: str) -> list[str]:
        """Return the given joints on the path from the root to a joint, which is included."""
        found, link = [name], known[name].parent
        while link in above:
            if (other := joint_name(robot, above[link])) in wanted:
                found.insert(0, other)
            link = above[link].parent
        return found

    wanted = [name for name in joints if name in known]
    groups: list[list[str]] = []
    for joint_chain in sorted(map(chain, wanted), key=len, reverse=True):
        own = [name for name in joint_chain if not any(name in group for group in groups)]
        groups += [own] if own else []
    return groups
