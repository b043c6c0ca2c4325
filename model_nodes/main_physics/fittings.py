"""What is fitted to a robot's links beside what its URDF says: range sensors and conveyor belts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import sqrt
from typing import Any, TypeVar

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.checks import above_zero, mapping, vector
from model_nodes.main_physics.engines.engine import Beam, Engine
from model_nodes.main_physics.world.description import Vector

_Fitting = TypeVar("_Fitting")


@dataclass(frozen=True, slots=True)
class RangeSensor:
    """Where a beam begins in a link's frame [m], its direction (unit vector), and how far it sees [m]."""

    at: Vector
    along: Vector
    reach: float


@dataclass(frozen=True, slots=True)
class Belt:
    """How a link's surfaces move: velocity [m/s] and turn [rad/s], in the axes of each of its forms."""

    velocity: Vector
    turn: Vector


def read_range_sensor(given: Any, where: str) -> RangeSensor:
    """Check one range sensor of a scenario.

    Raises:
        BadInput: naming the key that cannot be used.
    """
    _check_keys(given, where, ("at", "along", "reach"))
    x, y, z = vector(given.get("along", (1.0, 0.0, 0.0)), f"{where}.along")
    long = sqrt(x * x + y * y + z * z)
    if long < 1e-9:
        raise BadInput("has no direction", where=f"{where}.along", found=[x, y, z])
    at = vector(given.get("at", (0.0, 0.0, 0.0)), f"{where}.at")
    reach = above_zero(given.get("reach"), f"{where}.reach")
    return RangeSensor(at, (x / long, y / long, z / long), reach)


def read_belt(given: Any, where: str) -> Belt:
    """Check one belt of a scenario.

    Raises:
        BadInput: naming the key that cannot be used.
    """
    _check_keys(given, where, ("velocity", "turn"))
    still = (0.0, 0.0, 0.0)
    velocity = vector(given.get("velocity", still), f"{where}.velocity")
    return Belt(velocity, vector(given.get("turn", still), f"{where}.turn"))


def _check_keys(given: Any, where: str, known: Sequence[str]) -> None:
    for key in mapping(given, where):
        if key not in known:
            raise BadInput(
                "is no such key", where=f"{where}.{key}", found=key, expected=", ".join(known)
            )


def beams(sensors: Mapping[str, RangeSensor], links: Sequence[str]) -> list[Beam]:
    """The beams on the links that the patterns mean; the last pattern that means a link holds.

    Raises:
        BadInput: if a pattern means no link.
    """
    chosen = dict(_fitted(sensors, links, "robot.range_sensors"))
    return [Beam(link, s.at, s.along, s.reach) for link, s in chosen.items()]


def run_belts(engine: Engine, belts: Mapping[str, Belt], links: Sequence[str]) -> None:
    """Let all belts run.

    Raises:
        BadInput: if a pattern means no link.
        Unsupported: if the engine moves no surfaces.
    """
    for link, belt in _fitted(belts, links, "robot.belts"):
        engine.run_belt(link, belt.velocity, belt.turn)


def _fitted(
    fittings: Mapping[str, _Fitting], links: Sequence[str], where: str
) -> Iterator[tuple[str, _Fitting]]:
    for pattern, fitting in fittings.items():
        meant = [link for link in links if fnmatchcase(link, pattern)]
        if not meant:
            raise BadInput(
                "the robot has no such link",
                where=f"{where}.{pattern}",
                found=pattern,
                expected="the name of a link, or a pattern such as finger_*",
            )
        yield from ((link, fitting) for link in meant)
