"""Inverse kinematics from a robot's current posture: the nearest solution with the joints that may move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import mujoco as mj
import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import axangle2quat, qmult, rotate_vector

from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.descents import TOLERANCE, Solution, end_pose
from hetwin_core.kinematics.chains.screws import Segment
from hetwin_core.kinematics.chains.solver import FEWER_STARTS, Solver

Floats = NDArray[np.float64]


class PartialIK:
    """Inverse kinematics of a chain's movable joints, with the other joints held.

    Args:
        chain: with n joints.
        moving: (n,) which joints may move; None: all.
    """

    def __init__(self, chain: Chain, moving: NDArray[np.bool_] | None = None) -> None:
        self._chain = chain
        self._moving = np.ones(len(chain.joints), np.bool_) if moving is None else moving
        self._held: tuple[float, ...] | None = None

    def solve(self, pose: Floats, start: Floats, starts: int = FEWER_STARTS) -> Solution:
        """Return joint positions within the limits that bring the chain's end to a pose, like `Solver.near`.

        Args:
            pose: (7,) x y z [m], qw qx qy qz, in the frame of the chain's root.
            start: (n,) current joint positions [rad or m].
            starts: maximum number of starting postures.
        """
        if not self._moving.any():
            return self._without_motion(pose, start)
        part = self._with_held(start[~self._moving])
        solution = part.near(pose, start[self._moving], starts)
        positions = start.copy()
        positions[self._moving] = solution.positions
        return solution._replace(positions=positions)

    def _without_motion(self, pose: Floats, start: Floats) -> Solution:
        there, turn = self._chain.place(start), np.empty(3)
        mj.mju_subQuat(turn, end_pose(pose).pose[3:], there.pose[3:])
        distance = float(np.linalg.norm(pose[:3] - there.position))
        angle = float(np.linalg.norm(turn))
        return Solution(start, max(distance, angle) <= TOLERANCE, distance, angle)

    def _with_held(self, held: Floats) -> Solver:
        """The solver for these positions of the held joints; cached, because they rarely change between calls."""
        if self._held != tuple(held.tolist()):
            self._held = tuple(held.tolist())
            names = np.array(self._chain.joints)[~self._moving].tolist()
            self._solver = Solver(
                _held_chain(self._chain, dict(zip(names, self._held, strict=True)))
            )
        return self._solver


def _held_chain(chain: Chain, held: Mapping[str, float]) -> Chain:
    """The chain of the other joints, with these held at their positions [rad or m]."""
    if not held:
        return chain
    return Chain([_held(s, held[s.leader]) if s.leader in held else s for s in chain.segments])


def _held(segment: Segment, position: float) -> Segment:
    """The segment with its joint fixed, for this position of the joint that it mimics, or its own."""
    at = segment.multiplier * position + segment.offset
    axis, anchor = np.array(segment.axis, np.float64), np.array(segment.anchor, np.float64)
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    shift = at * axis
    if not segment.slides:
        turn = axangle2quat(axis, at)
        shift = anchor - rotate_vector(anchor, turn)
    origin, rotation = np.array(segment.pose[:3]), np.array(segment.pose[3:])
    pose = (*(origin + rotate_vector(shift, rotation)), *qmult(rotation, turn))
    return replace(
        segment, pose=tuple(map(float, pose)), joint="", follows="", multiplier=1.0, offset=0.0
    )
