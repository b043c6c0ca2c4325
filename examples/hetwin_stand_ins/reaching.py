"""Forward and inverse kinematics of a hand's point, for an arm of a compiled world."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco as mj
import numpy as np

from hetwin_suite.model import Floats
from hetwin_suite.robot import Chain, Segment, Solution, Solver
from hetwin_suite.runs import RunFailed

DOWN = np.array([0.0, 0.0, 1.0, 0.0])
"""Orientation of a hand pointing down (its z along the world's -z, its y along the world's y), w x y z."""

_TOLERANCE = 1e-9
"""Tolerance [m and rad]; small, since controllers derive velocities from set points 4 ms apart."""


class ArmKinematics:
    """Kinematics of one arm for one point of its hand.

    Args:
        model: compiled world with the arm, whose base joints stay at 0.
        joints: names of the arm's n joints from its base on, each with one degree of freedom.
        link: link of the hand.
        offset: (3,) the point in the link's frame [m].

    Raises:
        ValueError: if these joints do not lead to the link in this order.
    """

    def __init__(
        self, model: mj.MjModel, joints: Sequence[str], link: str, offset: Sequence[float]
    ) -> None:
        point = Segment("point", (*offset, 1.0, 0.0, 0.0, 0.0))
        self._chain = Chain([*_segments(model, joints, link), point])
        if self._chain.joints != tuple(joints):
            raise ValueError(f"{link} is moved by {self._chain.joints}, not by {tuple(joints)}")
        self._solver = Solver(self._chain, tolerance=_TOLERANCE)

    def point(self, joints: Floats) -> Floats:
        """Return (3,) the position of the hand's point in the world for the joint positions `joints`."""
        return self._chain.place(joints).position

    def solve(self, target: Floats, start: Floats, quaternion: Floats = DOWN) -> Floats:
        """Return (n,) joint positions for the point at `target` (3,) and the hand's orientation `quaternion` (4,).

        Args:
            start: (n,) start of the search.

        Raises:
            RunFailed: if no posture within the joint limits reaches the target.
        """
        pose = np.concatenate((target, quaternion))
        return _positions_or_fail(self._solver.solve(pose, start), target)

    def follow(self, points: Floats, start: Floats, quaternion: Floats = DOWN) -> Floats:
        """Return (k, n) joint positions for the point at `points` (k, 3), each close to the previous one.

        Args:
            start: (n,) joint positions just before the first point.

        Raises:
            RunFailed: if a point cannot be reached from the previous posture.
        """
        postures = [start]
        for point in points:
            pose = np.concatenate((point, quaternion))
            postures.append(_positions_or_fail(self._solver.descend(pose, postures[-1]), point))
        return np.array(postures[1:])


def _positions_or_fail(solution: Solution, target: Floats) -> Floats:
    if not solution.solved:
        raise RunFailed(
            "inverse kinematics",
            "solve",
            0,
            f"the hand cannot reach {np.round(target, 4).tolist()}; "
            f"the remaining error is {solution.distance:.3g} m and {solution.angle:.3g} rad",
        )
    return solution.positions


def _segments(model: mj.MjModel, joints: Sequence[str], link: str) -> list[Segment]:
    """Return the chain from the world to a link in which only these joints move."""
    segments: list[Segment] = []
    body = model.body(link).id
    while body:
        segments.append(_segment(model, body, joints))
        body = int(model.body_parentid[body])
    return segments[::-1]


def _segment(model: mj.MjModel, body: int, joints: Sequence[str]) -> Segment:
    name = model.body(body).name
    pose = (*model.body_pos[body].tolist(), *model.body_quat[body].tolist())
    first = int(model.body_jntadr[body])
    for joint in range(first, first + int(model.body_jntnum[body])):
        if (joint_name := model.joint(joint).name) in joints:
            limited = bool(model.jnt_limited[joint])
            lower, upper = model.jnt_range[joint].tolist() if limited else (-math.inf, math.inf)
            is_prismatic = model.jnt_type[joint] == mj.mjtJoint.mjJNT_SLIDE
            axis, anchor = model.jnt_axis[joint].tolist(), model.jnt_pos[joint].tolist()
            return Segment(name, pose, joint_name, is_prismatic, axis, anchor, lower, upper)
    return Segment(name, pose)
