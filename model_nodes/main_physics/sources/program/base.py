"""A base that a program drives: where it believes to be by odometry, and where it is."""

from __future__ import annotations

import math

import numpy as np

from hetwin_core.ensemble.scene.values import POSE_SIZE
from hetwin_core.kinematics.base_moves import BaseMove, BaseState
from hetwin_core.kinematics.planar import PlanarPose
from model_nodes.main_physics.sources.part import BaseMotion
from model_nodes.main_physics.wheels import odometry_state
from model_nodes.main_physics.world.description import Pose


class ProgramBase:
    """Follows one move after the other; each falls short by a share of its way, and odometry does not notice.

    Args:
        pose: where the root link is at first, in the world.
        start: place and heading instead; None: those of the pose.
        slip: the share.
    """

    def __init__(self, pose: Pose, start: PlanarPose | None, slip: float) -> None:
        self._height, self._share = pose[2], 1.0 - slip
        heading = math.atan2(
            2.0 * (pose[3] * pose[6] + pose[4] * pose[5]),
            1.0 - 2.0 * (pose[5] ** 2 + pose[6] ** 2),
        )
        self._first = start or PlanarPose(pose[0], pose[1], heading)
        self._from = self._true = self._first
        self._move: tuple[BaseMove, float] | None = None

    def begin_move(self, move: BaseMove, time: float) -> None:
        """Begin a move at a time [s] from where the base believes to be; one that goes on ends there."""
        state = self._at(time)
        self._true, self._from = self._truly(state.pose), move.start
        self._move = move, time

    def moves(self, time: float) -> bool:
        """Whether a move goes on at a time [s]."""
        return self._move is not None and time - self._move[1] <= self._move[0].duration

    def root(self, time: float) -> Pose:
        """Where the root link is at a time [s], by odometry."""
        return self._in_space(self._at(time).pose)

    def motion(self, time: float) -> BaseMotion:
        """The state of the base at a time [s]."""
        state = self._at(time)
        there, data = self._truly(state.pose), np.zeros(POSE_SIZE)
        data[:7] = self._in_space(there)
        forward = self._share * state.forward
        data[7], data[8] = forward * math.cos(there.yaw), forward * math.sin(there.yaw)
        data[12] = state.turn
        odometry = odometry_state(_relative(self._first, state.pose), state.forward, state.turn)
        return BaseMotion(data, odometry)

    def _at(self, time: float) -> BaseState:
        if self._move is None:
            return BaseState(self._first)
        move, begin = self._move
        return move.at(time - begin)

    def _truly(self, believed: PlanarPose) -> PlanarPose:
        """Where the base is when odometry says that it is here."""
        x, y, turn = _relative(self._from, believed)
        there = self._true.offset(self._share * x, self._share * y)
        return PlanarPose(there.x, there.y, there.yaw + turn)

    def _in_space(self, place: PlanarPose) -> Pose:
        x, y, _, w, i, j, k = place.in_space.tolist()
        return x, y, self._height, w, i, j, k


def _relative(frame: PlanarPose, place: PlanarPose) -> PlanarPose:
    """A place as seen from another one."""
    dx, dy = place.x - frame.x, place.y - frame.y
    c, s = math.cos(frame.yaw), math.sin(frame.yaw)
    return PlanarPose(c * dx + s * dy, c * dy - s * dx, place.yaw - frame.yaw)
