"""What is fitted to a robot's links beside what its URDF says: sensors and conveyor belts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import sqrt
from typing import TypeVar

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import Belt, RangeSensor
from model_nodes.main_physics.engines.engine import Engine, Rangefinder, Unsupported
from model_nodes.main_physics.lidars import FittedLidar
from model_nodes.main_physics.odometers import Odometer
from model_nodes.main_physics.world.description import Vector

_Fitting = TypeVar("_Fitting")


@dataclass(frozen=True, slots=True)
class Sensors:
    """What robots sense, in the order of the attributes of each kind."""

    rangefinders: tuple[Rangefinder, ...] = ()
    lidars: tuple[FittedLidar, ...] = ()
    odometers: tuple[Odometer, ...] = ()


def rangefinders(
    sensors: Mapping[str, RangeSensor], links: Mapping[str, str], where: str = "robot"
) -> list[Rangefinder]:
    """The rangefinders on the links that the patterns mean; the last pattern that means a link holds.

    Args:
        sensors: pattern of links -> the sensor on each.
        links: the robot's own name of a link -> the scene's.
        where: the scenario's key of the robot.

    Raises:
        BadInput: if a pattern means no link.
    """
    chosen = dict(_fitted(sensors, links, f"{where}.range_sensors"))
    return [Rangefinder(link, _vector(s.at), _unit(s.along), s.reach) for link, s in chosen.items()]


def run_belts(
    engine: Engine, belts: Mapping[str, Belt], links: Mapping[str, str], where: str = "robot"
) -> None:
    """Let all belts run; `links` and `where` as for `rangefinders`.

    Raises:
        BadInput: if a pattern means no link, or the engine moves no surfaces.
    """
    try:
        for link, belt in _fitted(belts, links, f"{where}.belts"):
            engine.run_belt(link, _vector(belt.velocity), _vector(belt.turn))
    except Unsupported as error:
        raise BadInput(str(error), where=f"{where}.belts") from error


def _vector(numbers: Sequence[float]) -> Vector:
    x, y, z = numbers
    return x, y, z


def _unit(numbers: Sequence[float]) -> Vector:
    x, y, z = numbers
    long = sqrt(x * x + y * y + z * z)
    return x / long, y / long, z / long


def _fitted(
    fittings: Mapping[str, _Fitting], links: Mapping[str, str], where: str
) -> Iterator[tuple[str, _Fitting]]:
    for pattern, fitting in fittings.items():
        meant = [frame for link, frame in links.items() if fnmatchcase(link, pattern)]
        if not meant:
            raise BadInput(
                "the robot has no such link",
                where=f"{where}.{pattern}",
                found=pattern,
                expected="the name of a link, or a pattern such as finger_*",
            )
        yield from ((link, fitting) for link in meant)
