"""A base that moves as commanded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.values import POSE_SIZE
from hetwin_core.kinematics.planar import PlanarPose
from model_nodes.main_physics.sources.part import BaseMotion
from model_nodes.main_physics.wheels import odometry_state
from model_nodes.main_physics.world.description import Body, Pose
from model_nodes.main_physics.world.transforms import compose, rotate


@dataclass(frozen=True, slots=True)
class TwistCommand:
    """A velocity of the base along its own axes: forward and sideways [m/s], about z [rad/s]."""

    forward: float
    sideways: float
    turn: float


def start_of(base: FollowedBase, source: str) -> Sequence[float] | None:
    """Return the start in the scenario, x y [m] and yaw [rad]; None: the base starts at the robot's pose.

    Args:
        base: the scenario's entry of the base.
        source: name of the motion's source, for the error.

    Raises:
        BadInput: if the start is a topic.
    """
    if isinstance(base.start, str):
        raise BadInput(
            f"with {source} as the source nothing defines where the base starts",
            where="robot.base.start",
            found=base.start,
            expected="x y yaw",
        )
    return base.start


class CommandedBase:
    """Integrates commanded velocities.

    Args:
        pose: initial pose of the root link in the world.
        start: x y [m] and yaw [rad] that replace those of `pose`, at the same height; None: `pose` itself.
    """

    def __init__(self, pose: Pose, start: Sequence[float] | None) -> None:
        self._start = pose
        if start is not None:
            x, y, yaw = start
            half = yaw / 2.0
            self._start = (x, y, pose[2], math.cos(half), 0.0, 0.0, math.sin(half))
        self._pose = PlanarPose()
        self._twist = TwistCommand(0.0, 0.0, 0.0)
        self._time = 0.0

    def advance(self, twist: TwistCommand, time: float) -> None:
        """Move with a velocity until a time [s], which must not decrease."""
        seconds, self._time, self._twist = time - self._time, time, twist
        self._pose = self._pose.after(
            twist.forward * seconds, twist.turn * seconds, twist.sideways * seconds
        )

    @classmethod
    def of(
        cls, robot: Body, base: FollowedBase, supported_odometry: str, source: str
    ) -> CommandedBase:
        """Return the base of a robot that moves as commanded.

        Args:
            robot: the robot, with its pose.
            base: the scenario's entry of the base.
            supported_odometry: the only `odometry` that this source supports.
            source: name of the source of commands, for errors.

        Raises:
            BadInput: if the base has another `odometry`.
        """
        if base.odometry != supported_odometry:
            raise BadInput(
                f"with {source} as the source there is no odometry that the base could follow",
                where="robot.base.odometry",
                found=base.odometry,
                expected=f"{supported_odometry} (it moves as commanded), or base: free (its wheels move it)",
            )
        return cls(robot.pose, start_of(base, source))

    @property
    def motion(self) -> BaseMotion:
        """The current motion of the base."""
        twist, state = self._twist, np.zeros(POSE_SIZE)
        state[:7] = compose(self._start, self._pose.in_space.tolist())
        state[7:10] = rotate(state.tolist(), (twist.forward, twist.sideways, 0.0))
        state[10:13] = rotate(self._start, (0.0, 0.0, twist.turn))
        odometry = odometry_state(self._pose, twist.forward, twist.turn)
        odometry[8] = twist.sideways
        return BaseMotion(state, odometry)
