"""Reads the arguments of operations, with errors that name the argument, and finds the installed skills."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hetwin_programs.skills.scene import SkillScene
from hetwin_suite.command import Group
from hetwin_suite.model import BadInput, Json
from hetwin_suite.robot import JointTrajectory


def hand_of(scene: SkillScene, arguments: Mapping[str, Json]) -> str:
    """Return the named hand, or the robot's only hand.

    Raises:
        ValueError: if no hand is named and the robot has several, or the robot has no such hand.
    """
    given = arguments.get("hand")
    if given is None and len(scene.hands) == 1:
        return scene.hands[0]
    if given not in scene.hands:
        raise ValueError(f"hand: found {given}; expected one of {', '.join(scene.hands)}")
    return str(given)


def entity_of(scene: SkillScene, arguments: Mapping[str, Json], name: str) -> str:
    """Return the entity that an argument names.

    Raises:
        ValueError: if the argument is missing, or the scene has no such entity.
    """
    given = arguments.get(name)
    if not isinstance(given, str):
        raise ValueError(f"{name}: found {given}; expected the name of an entity")
    scene.pose(given)
    return given


def number(
    arguments: Mapping[str, Json], name: str, default: float | None = None, *, minimum: float = 0.0
) -> float | None:
    """Return an argument that is a number above `minimum`, or the default if it is not given.

    Raises:
        ValueError: if it is not such a number.
    """
    given = arguments.get(name)
    if given is None:
        return default
    if (
        isinstance(given, bool)
        or not isinstance(given, int | float)
        or not minimum < given < math.inf
    ):
        raise ValueError(f"{name}: found {given}; expected a number above {minimum:g}")
    return float(given)


def speed_of(arguments: Mapping[str, Json]) -> float:
    """Return the argument ``speed``: fraction of the largest velocities, or m/s on a straight line; default 0.5.

    Raises:
        ValueError: if it is not a number above 0.
    """
    return number(arguments, "speed", 0.5) or 0.5


def numbers(given: Json, name: str, counts: tuple[int, ...]) -> list[float]:
    """Return a list of finite numbers, whose length must be one of `counts`.

    Raises:
        ValueError: if it is not such a list.
    """
    wanted = " or ".join(str(count) for count in counts)
    if isinstance(given, list) and len(given) in counts:
        found = [float(item) for item in given if isinstance(item, int | float)]
        if len(found) == len(given) and all(map(math.isfinite, found)):
            return found
    raise ValueError(f"{name}: found {given}; expected {wanted} numbers")


SKILLS = Group(
    "hetwin.skills",
    "skill",
    "a function of the scene and the arguments, which returns a JointTrajectory",
)

Skill: TypeAlias = Callable[[SkillScene, Mapping[str, Json]], JointTrajectory]
"""Returns a motion of some joints, from their present positions, for an operation's arguments.

Raises `ValueError` if an argument cannot be used, `CannotReach` if the robot cannot do it.
"""


def skill_names() -> list[str]:
    """Return the names of all installed skills, sorted."""
    return SKILLS.names()


def skill_of(name: str) -> Skill:
    """Return the skill of a name.

    Raises:
        BadInput: if there is no such skill, or it is not callable.
    """
    skill: Skill = SKILLS.load(name)
    if not callable(skill):
        raise BadInput("this is no skill", found=name, expected=SKILLS.expected)
    return skill
