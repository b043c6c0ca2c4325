"""What a robot with a base that moves says of its way: its odometry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scenario.robot import Robot
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.base_drive import BaseDrives
from model_nodes.main_physics.wheels import (
    DifferentialDrive,
    WheelOdometry,
    differential_drive,
)
from model_nodes.main_physics.world.description import Body
from model_nodes.main_physics.world.drives import Base
from model_nodes.main_physics.world.names import joint_name


class Odometer(ABC):
    """Says where a robot's base is by its own measurement.

    Args:
        robot: its name.
    """

    def __init__(self, robot: str) -> None:
        self.robot = robot

    @abstractmethod
    def read(self, positions: Floats, velocities: Floats) -> Floats:
        """Return (13,) pose in the frame in which odometry began, and twist along the root link's own axes.

        Args:
            positions: of all joints of the engine, at each step once [rad or m].
            velocities: of all joints [rad/s or m/s].
        """


class SourceOdometer(Odometer):
    """Says what the source says that moves the base."""

    def __init__(self, robot: str, bases: BaseDrives) -> None:
        super().__init__(robot)
        self._bases = bases

    def read(self, positions: Floats, velocities: Floats) -> Floats:
        """Return the odometry of the last command."""
        return self._bases.motions[self.robot].odometry


class WheelOdometer(Odometer):
    """Counts the turning of wheels; where they slip, it parts from the truth.

    Args:
        wheels: places of the drive's joints among those of the engine.
    """

    def __init__(self, robot: str, drive: DifferentialDrive, wheels: Sequence[int]) -> None:
        super().__init__(robot)
        self._drive = drive
        self._wheels = np.array(wheels, np.intp)
        self._odometry: WheelOdometry | None = None

    def read(self, positions: Floats, velocities: Floats) -> Floats:
        """Go on to where the wheels are now; the first call begins."""
        turned = positions[self._wheels]
        if self._odometry is None:
            self._odometry = WheelOdometry(self._drive, turned)
        self._odometry.advance(turned, velocities[self._wheels])
        return self._odometry.state


def odometer_of(
    body: Body, robot: Robot, bases: BaseDrives, joints: Sequence[str]
) -> Odometer | None:
    """Return what says where a robot's base is; None if that is fixed, or free without wheels.

    Args:
        body: the robot.
        robot: as the scenario names it.
        bases: what moves those that follow a source.
        joints: of the engine, in its order.

    Raises:
        BadInput: if the wheels cannot be those of a differential drive.
    """
    if body.base is Base.FOLLOWED:
        return SourceOdometer(body.name, bases)
    if body.base is not Base.FREE or robot.wheels is None:
        return None
    drive = differential_drive(body, robot.wheels)
    names = {joint.name: joint_name(body, joint) for joint in body.joints}
    return WheelOdometer(body.name, drive, [joints.index(names[name]) for name in drive.joints])
