"""A base that goes exactly as its commanded velocity says."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.values import POSE_SIZE
from hetwin_core.kinematics.planar import PlanarPose
from model_nodes.main_physics.sources.commanded.commands import TwistCommand
from model_nodes.main_physics.sources.part import BaseMotion
from model_nodes.main_physics.wheels import odometry_state
from model_nodes.main_physics.world.description import Pose
from model_nodes.main_physics.world.transforms import compose, rotate


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
