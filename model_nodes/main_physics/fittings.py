"""Sensors and belts of robots that their URDFs do not describe: laser scanners, range sensors, odometry, belts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import sqrt
from typing import TypeVar

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.clock import required_divisor
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.robot import Belt, Lidar, RangeSensor, Robot
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.scans import ScanPattern
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.base_drive import BaseDrives
from model_nodes.main_physics.engines.engine import Engine, Rangefinder, Scanner, Unsupported
from model_nodes.main_physics.robots import SceneRobot
from model_nodes.main_physics.wheels import (
    DifferentialDrive,
    WheelOdometry,
    differential_drive,
)
from model_nodes.main_physics.world.description import Base, Body, Vector, joint_name
from model_nodes.main_physics.world.transforms import pose_of


@dataclass(frozen=True, slots=True)
class FittedLidar:
    """A laser scanner on a link.

    Attributes:
        scanner: its beams, for the engine.
        pattern: geometry of its scans, for the scene.
        every: number of steps from one scan to the next.
    """

    scanner: Scanner
    pattern: ScanPattern
    every: int

    @property
    def link(self) -> str:
        """The link that the scanner is fixed to."""
        return self.scanner.frame

    def scan(self, engine: Engine) -> Floats:
        """Return (beams,) the current distances [m]."""
        return self.pattern.as_measured(engine.read_scan(self.scanner))


def fitted_lidars(
    lidars: Mapping[str, Lidar],
    links: Mapping[str, str],
    frames: Sequence[str],
    rate: float,
    robot: str = "robot",
) -> list[FittedLidar]:
    """Return the robot's laser scanners.

    Args:
        lidars: name -> the scenario's entry.
        links: the robot's own name of a link -> the scene's name.
        frames: all frame names that are in use in the scene.
        rate: steps of the main model per simulated second.
        robot: the scenario's key of the robot.

    Raises:
        BadInput: if a link does not exist or has two scanners, a name is in use, or a rate does not divide `rate`.
    """
    scanner_on: dict[str, str] = {}
    scanners: list[FittedLidar] = []
    for name, lidar in lidars.items():
        where = f"{robot}.lidars.{name}"
        if lidar.link not in links:
            raise BadInput(
                "the robot has no such link",
                where=f"{where}.link",
                found=lidar.link,
                expected=one_of(lidar.link, links),
            )
        if lidar.link in scanner_on:
            raise BadInput(
                f"this link has a laser scanner already, {scanner_on[lidar.link]}",
                where=f"{where}.link",
                found=lidar.link,
                expected="one scanner on each link",
            )
        scanner_on[lidar.link] = name
        link = links[lidar.link]
        every = required_divisor(rate, lidar.rate, f"{where}.rate")
        scanners.append(_fitted_lidar(name, link, lidar, every))
        if scanners[-1].pattern.frame_on(link) in set(frames) - {link}:
            raise BadInput(
                "the frame of this scanner needs a name of its own",
                where=where,
                found=name,
                expected="a name that nothing in the scene has",
            )
    return scanners


def with_scanners(entities: Sequence[Entity], lidars: Sequence[FittedLidar]) -> list[Entity]:
    """Return the entities; links with a scanner get the geometry of its scans."""
    patterns = {lidar.link: lidar.pattern for lidar in lidars}
    return [
        replace(entity, scanner=patterns[entity.name]) if entity.name in patterns else entity
        for entity in entities
    ]


def due(lidars: Sequence[FittedLidar], step: int) -> Iterator[FittedLidar]:
    """Iterate over the scanners that scan at a step; at step 0 all of them do."""
    return (lidar for lidar in lidars if step % lidar.every == 0)


def _fitted_lidar(name: str, link: str, lidar: Lidar, every: int) -> FittedLidar:
    x, y, z, *quaternion = pose = pose_of(lidar.at)
    pattern = ScanPattern(
        name, pose, lidar.first, lidar.last, lidar.beams, lidar.nearest, lidar.reach, lidar.rate
    )
    angles = pattern.angles
    in_plane = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    directions = np.ascontiguousarray(in_plane @ quat2mat(quaternion).T)
    return FittedLidar(Scanner(link, (x, y, z), directions, lidar.reach), pattern, every)


class Odometer(ABC):
    """Measures the pose of a robot's base by the robot's own sensors.

    Args:
        robot: name of the robot.
    """

    def __init__(self, robot: str) -> None:
        self.robot = robot

    @abstractmethod
    def read(self, positions: Floats, velocities: Floats) -> Floats:
        """Return (13,) pose in the frame where odometry started, and twist along the axes of the root link.

        Call it exactly once per step.

        Args:
            positions: positions of all joints of the engine [rad or m].
            velocities: velocities of all joints [rad/s or m/s].
        """


class SourceOdometer(Odometer):
    """Reports the odometry of the source that moves the base."""

    def __init__(self, robot: str, bases: BaseDrives) -> None:
        super().__init__(robot)
        self._bases = bases

    def read(self, positions: Floats, velocities: Floats) -> Floats:
        """Return the odometry of the last command."""
        return self._bases.motions[self.robot].odometry


class WheelOdometer(Odometer):
    """Integrates the rotation of the wheels; where they slip, the result deviates from the true pose.

    Args:
        wheels: indices of the drive's joints among those of the engine.
    """

    def __init__(self, robot: str, drive: DifferentialDrive, wheels: Sequence[int]) -> None:
        super().__init__(robot)
        self._drive = drive
        self._wheels = np.array(wheels, np.intp)
        self._odometry: WheelOdometry | None = None

    def read(self, positions: Floats, velocities: Floats) -> Floats:
        """Integrate up to the current positions of the wheels; the first call starts."""
        angles = positions[self._wheels]
        if self._odometry is None:
            self._odometry = WheelOdometry(self._drive, angles)
        self._odometry.advance(angles, velocities[self._wheels])
        return self._odometry.state


def odometer_of(
    body: Body, robot: Robot, bases: BaseDrives, joints: Sequence[str]
) -> Odometer | None:
    """Return the odometer of a robot's base; None if the base is fixed, or free without wheels.

    Args:
        body: the robot.
        robot: the scenario's entry of the robot.
        bases: bases that follow a source.
        joints: names of the engine's joints, in its order.

    Raises:
        BadInput: if the wheels do not form a differential drive.
    """
    if body.base is Base.FOLLOWED:
        return SourceOdometer(body.name, bases)
    if body.base is not Base.FREE or robot.wheels is None:
        return None
    drive = differential_drive(body, robot.wheels)
    names = {joint.name: joint_name(body, joint) for joint in body.joints}
    return WheelOdometer(body.name, drive, [joints.index(names[name]) for name in drive.joints])


_Fitting = TypeVar("_Fitting")


@dataclass(frozen=True, slots=True)
class Sensors:
    """Sensors of robots, of each kind in the order of their attributes."""

    rangefinders: tuple[Rangefinder, ...] = ()
    lidars: tuple[FittedLidar, ...] = ()
    odometers: tuple[Odometer, ...] = ()


def rangefinders(
    sensors: Mapping[str, RangeSensor], links: Mapping[str, str], where: str = "robot"
) -> list[Rangefinder]:
    """Return the rangefinders on the links that match a pattern; for each link the last matching pattern counts.

    Args:
        sensors: pattern of links -> the sensor on each of them.
        links: the robot's own name of a link -> the scene's name.
        where: the scenario's key of the robot.

    Raises:
        BadInput: if a pattern matches no link.
    """
    chosen = dict(_match_links(sensors, links, f"{where}.range_sensors"))
    return [Rangefinder(link, _vector(s.at), _unit(s.along), s.reach) for link, s in chosen.items()]


def run_belts(
    engine: Engine, belts: Mapping[str, Belt], links: Mapping[str, str], where: str = "robot"
) -> None:
    """Start all belts; `links` and `where` as for `rangefinders`.

    Raises:
        BadInput: if a pattern matches no link, or the engine moves no surfaces.
    """
    try:
        for link, belt in _match_links(belts, links, f"{where}.belts"):
            engine.run_belt(link, _vector(belt.velocity), _vector(belt.turn))
    except Unsupported as error:
        raise BadInput(str(error), where=f"{where}.belts") from error


def _vector(numbers: Sequence[float]) -> Vector:
    x, y, z = numbers
    return x, y, z


def _unit(numbers: Sequence[float]) -> Vector:
    x, y, z = numbers
    length = sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


def _match_links(
    fittings: Mapping[str, _Fitting], links: Mapping[str, str], where: str
) -> Iterator[tuple[str, _Fitting]]:
    for pattern, fitting in fittings.items():
        matching = [frame for link, frame in links.items() if fnmatchcase(link, pattern)]
        if not matching:
            raise BadInput(
                "the robot has no such link",
                where=f"{where}.{pattern}",
                found=pattern,
                expected="the name of a link, or a pattern such as finger_*",
            )
        yield from ((link, fitting) for link in matching)


def fit_sensors(
    robots: Sequence[SceneRobot], rate: float, engine: Engine, bases: BaseDrives
) -> Sensors:
    """Start the robots' belts; returns their sensors.

    Args:
        robots: the robots, each with its entry in the scenario.
        rate: steps per simulated second.
        engine: engine with the robots.
        bases: bases that follow a source, for odometers.

    Raises:
        BadInput: if something cannot be fitted.
    """
    range_sensors: list[Rangefinder] = []
    lidars: list[FittedLidar] = []
    odometers: list[Odometer] = []
    for robot in robots:
        entry, links = robot.entry, robot.links
        if entry is None:
            continue
        run_belts(engine, entry.belts, links, robot.where)
        range_sensors += rangefinders(entry.range_sensors, links, robot.where)
        names = (*engine.frames, *(lidar.pattern.frame_on(lidar.link) for lidar in lidars))
        lidars += fitted_lidars(entry.lidars, links, names, rate, robot.where)
        odometer = odometer_of(robot.body, entry, bases, engine.joints)
        odometers += [] if odometer is None else [odometer]
    return Sensors(tuple(range_sensors), tuple(lidars), tuple(odometers))
