"""The base of a simulated mobile robot: its true pose, and its odometry."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from hetwin_commanding.obeying.mismatch import Mismatch
from hetwin_programs import within
from hetwin_suite.engine import POSE_SIZE, Body, Engine, frame_name
from hetwin_suite.model import Floats, rotate
from hetwin_suite.robot import DifferentialDrive, PlanarPose
from hetwin_suite.source import TwistCommand, WheelOdometry, odometry_state

ACCELERATION = (1.0, 1.0, 3.0)
"""Acceleration limits of a base without driven wheels: forward, sideways [m/s^2], rotation [rad/s^2]."""


class MobileBase(ABC):
    """A base that moves."""

    @abstractmethod
    def command(self, twist: TwistCommand) -> None:
        """Set the velocity for the next step of the engine."""

    @abstractmethod
    def read_pose(self) -> None:
        """Read the true pose after a step."""

    @property
    @abstractmethod
    def truth(self) -> Floats:
        """(13,) pose and twist of the root link in the world."""

    @property
    @abstractmethod
    def odometry(self) -> Floats:
        """(13,) pose relative to the start of odometry, and twist in its own axes, according to odometry."""


class RollingBase(MobileBase):
    """Rolls on the wheels that its velocity turns; odometry integrates their rotation.

    Args:
        engine: loaded engine with the robot at its initial pose.
        body: the robot.
        wheels: wheel geometry known to the robot's own software.
    """

    def __init__(self, engine: Engine, body: Body, wheels: DifferentialDrive) -> None:
        self._engine = engine
        self._frame = engine.frames.index(frame_name(body, body.links[0].name))
        self._frames = np.zeros((len(engine.frames), POSE_SIZE))
        self._wheels = [engine.joints.index(name) for name in wheels.joints]
        self._joints = np.zeros((2, len(engine.joints)))
        engine.read_joints(*self._joints)
        self._odometry = WheelOdometry(wheels, self._joints[0][self._wheels])
        self._engine.read_frames(self._frames)

    def command(self, twist: TwistCommand) -> None:
        """Do nothing: the wheels are commanded as joints."""

    def read_pose(self) -> None:
        """Read the wheels and the root link."""
        self._engine.read_joints(*self._joints)
        positions, velocities = self._joints[:, self._wheels]
        self._odometry.advance(positions, velocities)
        self._engine.read_frames(self._frames)

    @property
    def truth(self) -> Floats:
        """(13,) pose and twist of the root link in the world."""
        truth: Floats = self._frames[self._frame]
        return truth

    @property
    def odometry(self) -> Floats:
        """(13,) pose and twist from the rotation of the wheels."""
        return self._odometry.state


class DrivenBase(MobileBase):
    """Moves as commanded, with limited acceleration, independent of its wheels; odometry has a relative error.

    Args:
        engine: loaded engine.
        body: the robot.
        start: x y [m] and yaw [rad]; None: the scenario's.
        mismatch: mismatch that includes the error of odometry.
        period: period of the steps [s].
    """

    def __init__(
        self,
        engine: Engine,
        body: Body,
        start: Sequence[float] | None,
        mismatch: Mismatch,
        period: float,
    ) -> None:
        self._engine, self._period = engine, period
        self._start = _started(body.pose, start)
        self._shares = (mismatch.radius, mismatch.radius / mismatch.separation)
        self._velocity = np.zeros(3)
        self._true, self._believed = PlanarPose(), PlanarPose()
        engine.place_base(body.name, self.truth)

    def command(self, twist: TwistCommand) -> None:
        """Accelerate towards this velocity within the limits."""
        wanted = np.array([twist.forward, twist.sideways, twist.turn])
        most = np.array(ACCELERATION) * self._period
        self._velocity = self._velocity + np.clip(wanted - self._velocity, -most, most)
        forward, sideways, turn = (self._velocity * self._period).tolist()
        self._true = self._true.after(forward, turn, sideways)
        distance, turned = self._shares
        self._believed = self._believed.after(
            forward * distance, turn * turned, sideways * distance
        )
        self._engine.command_bases(self.truth[None])

    def read_pose(self) -> None:
        """Do nothing: the true pose is the commanded one."""

    @property
    def truth(self) -> Floats:
        """(13,) pose and twist of the root link in the world."""
        state = np.zeros(POSE_SIZE)
        state[:7] = within(self._start, self._true.in_space.tolist())
        forward, sideways, turn = self._velocity.tolist()
        state[7:10] = rotate(state[3:7].tolist(), (forward, sideways, 0.0))
        state[10:] = rotate(self._start[3:7], (0.0, 0.0, turn))
        return state

    @property
    def odometry(self) -> Floats:
        """(13,) pose and twist with the error of odometry."""
        distance, turned = self._shares
        forward, sideways, turn = self._velocity.tolist()
        state = odometry_state(self._believed, forward * distance, turn * turned)
        state[8] = sideways * distance
        return state


def _started(pose: Sequence[float], start: Sequence[float] | None) -> Sequence[float]:
    if start is None:
        return pose
    x, y, yaw = start
    return (x, y, pose[2], math.cos(yaw / 2.0), 0.0, 0.0, math.sin(yaw / 2.0))
