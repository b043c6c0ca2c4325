"""A base that goes as it is commanded."""

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


def told_start(base: FollowedBase, source: str) -> Sequence[float] | None:
    """Return where a base without a robot's report starts: x y [m] and yaw [rad]; None: where it stands.

    Args:
        base: that is moved.
        source: of its motion, for the error.

    Raises:
        BadInput: if a topic is its start.
    """
    if isinstance(base.start, str):
        raise BadInput(
            f"with {source} as the source nothing says where the base starts",
            where="robot.base.start",
            found=base.start,
            expected="x y yaw",
        )
    return base.start


class CommandedBase:
    """Adds up commanded velocities.

    Args:
        pose: where the root link is at first, in the world.
        start: x y [m] and yaw [rad] in its place, at the same height; None: there.
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
        """Go with a velocity until a time [s] that never decreases."""
        seconds, self._time, self._twist = time - self._time, time, twist
        self._pose = self._pose.after(
            twist.forward * seconds, twist.turn * seconds, twist.sideways * seconds
        )

    @classmethod
    def of(cls, robot: Body, base: FollowedBase, goes_by: str, source: str) -> CommandedBase:
        """Return the base of a robot that goes as it is commanded.

        Args:
            robot: whose pose is where it stands.
            base: the scenario's entry.
            goes_by: the only thing that it can follow.
            source: of its commands, for errors.

        Raises:
            BadInput: if it is to follow anything else.
        """
        if base.odometry != goes_by:
            raise BadInput(
                f"with {source} as the source there is no odometry that the base could follow",
                where="robot.base.odometry",
                found=base.odometry,
                expected=f"{goes_by} (it goes as commanded), or base: free (its wheels move it)",
            )
        return cls(robot.pose, told_start(base, source))

    @property
    def motion(self) -> BaseMotion:
        """The state of the base now."""
        twist, state = self._twist, np.zeros(POSE_SIZE)
        state[:7] = compose(self._start, self._pose.in_space.tolist())
        state[7:10] = rotate(state.tolist(), (twist.forward, twist.sideways, 0.0))
        state[10:13] = rotate(self._start, (0.0, 0.0, twist.turn))
        odometry = odometry_state(self._pose, twist.forward, twist.turn)
        odometry[8] = twist.sideways
        return BaseMotion(state, odometry)
