"""Fits what the scenario says to the robots of a world: belts and sensors."""

from __future__ import annotations

from collections.abc import Sequence

from model_nodes.main_physics.base_drive import BaseDrives
from model_nodes.main_physics.engines.engine import Engine, Rangefinder
from model_nodes.main_physics.fittings import Sensors, rangefinders, run_belts
from model_nodes.main_physics.lidars import FittedLidar, fitted_lidars
from model_nodes.main_physics.odometers import Odometer, odometer_of
from model_nodes.main_physics.robots import SceneRobot


def fitted(robots: Sequence[SceneRobot], rate: float, engine: Engine, bases: BaseDrives) -> Sensors:
    """Start the robots' belts; returns their sensors.

    Args:
        robots: with what the scenario says about each.
        rate: steps per simulated second.
        engine: in which they move.
        bases: what moves their bases, for odometers.

    Raises:
        BadInput: if something cannot be fitted.
    """
    found: list[Rangefinder] = []
    lidars: list[FittedLidar] = []
    odometers: list[Odometer] = []
    for robot in robots:
        said, links = robot.said, robot.links
        if said is None:
            continue
        run_belts(engine, said.belts, links, robot.where)
        found += rangefinders(said.range_sensors, links, robot.where)
        names = (*engine.frames, *(lidar.pattern.frame_on(lidar.link) for lidar in lidars))
        lidars += fitted_lidars(said.lidars, links, names, rate, robot.where)
        odometer = odometer_of(robot.body, said, bases, engine.joints)
        odometers += [] if odometer is None else [odometer]
    return Sensors(tuple(found), tuple(lidars), tuple(odometers))
