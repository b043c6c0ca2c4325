"""What is to be sent to a robot, as what moves it in a rehearsal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.values import POSE_SIZE
from hetwin_suite.commanding.plan import Plan
from model_nodes.main_physics.sources.part import BaseMotion, JointMotion, Part
from model_nodes.main_physics.wheels import odometry_state
from model_nodes.main_physics.world.description import Body


class PlannedPart(Part):
    """Moves the joints of a plan, after they have rested for a while.

    Args:
        plan: of joints of the robot.
        rest: how long they rest at the beginning and after the end [s].
    """

    presses = True

    def __init__(self, plan: Plan, rest: float) -> None:
        self._plan, self._rest = plan, rest
        self.end_ns = self.duration_ns
        self._of_joint: NDArray[np.intp] = np.zeros(0, np.intp)
        self._driven: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._height = 0.0

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints of the plan."""
        return self._plan.names

    @property
    def duration_ns(self) -> int:
        """Time of the end [ns]."""
        return round((self._plan.duration + 2.0 * self._rest) * 1e9)

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Take note of the order of the joints; returns (joints,) which of them the plan moves."""
        names = self._plan.names
        self._driven = np.array([name in names for name in joints], np.bool_)
        self._of_joint = np.array([names.index(name) for name in joints if name in names], np.intp)
        return self._driven

    def motion(self, time_ns: int) -> JointMotion:
        """Return the joints at a time."""
        time = time_ns * 1e-9 - self._rest
        state = self._plan.at(time)
        begun = [stage.presses for stage in self._plan.stages if time >= stage.begin]
        self.limited = tuple(sorted(frozenset().union(*begun)))
        spread = np.zeros((3, len(self._driven)))
        spread[:, self._driven] = np.array(state)[:, self._of_joint]
        unknown = np.full(len(self._driven), np.nan)
        return JointMotion(spread[0], spread[1], spread[2], unknown)

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Take note of the height of the base; where it goes is the plan's."""
        self._height = robot.pose[2]

    def base(self, time_ns: int) -> BaseMotion:
        """Return the state of the base at a time."""
        pose, forward, turn = self._plan.base_at(time_ns * 1e-9 - self._rest)
        state = np.zeros(POSE_SIZE)
        state[:7] = pose.in_space
        state[2] = self._height
        state[7], state[8] = forward * math.cos(pose.yaw), forward * math.sin(pose.yaw)
        state[12] = turn
        return BaseMotion(state, odometry_state(pose, forward, turn))
