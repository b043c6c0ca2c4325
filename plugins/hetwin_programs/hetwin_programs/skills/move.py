"""The skills `move` (arm to a pose, an entity or joint positions), `move_hand` (fingers) and `hold` (stay at rest)."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_programs.skills.arguments import hand_of, number, numbers, speed_of
from hetwin_programs.skills.scene import SkillScene
from hetwin_suite.model import Json
from hetwin_suite.robot import JointTrajectory


def move(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the motion of an arm.

    Arguments: ``hand``; ``to``: x y z [m] in the world, optionally with an orientation qw qx qy qz, or the name of an
    entity; ``offset``: x y z [m] from there along the world's axes; ``straight``: move on a straight line; ``speed``:
    fraction of the joints' largest velocities, on a straight line m/s (0.5); ``seconds``: duration. Instead of
    ``hand`` and ``to``: ``joints``, position by joint [rad or m].

    Raises:
        ValueError: if an argument cannot be used.
        CannotReach: if the hand cannot reach the pose.
    """
    speed, seconds = speed_of(arguments), number(arguments, "seconds")
    joints = arguments.get("joints")
    if isinstance(joints, dict):
        goal = {name: numbers([at], f"joints.{name}", (1,))[0] for name, at in joints.items()}
        return scene.to_positions(goal, speed=speed, seconds=seconds)
    return scene.hand_to(
        hand_of(scene, arguments),
        _goal(scene, arguments),
        straight=bool(arguments.get("straight", False)),
        speed=speed,
        seconds=seconds,
    )


def _goal(scene: SkillScene, arguments: Mapping[str, Json]) -> list[float]:
    to = arguments.get("to")
    if to is None:
        raise ValueError("to: found nothing; expected x y z, a pose or the name of an entity")
    position = list(scene.pose(to)[:3]) if isinstance(to, str) else numbers(to, "to", (3, 7))
    offset = numbers(arguments.get("offset", [0.0, 0.0, 0.0]), "offset", (3,))
    return [a + b for a, b in zip(position, offset, strict=False)] + position[3:]


def move_hand(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the motion of the fingers.

    Arguments: ``hand``; ``goal``: open, closed, or one position for all fingers [rad or m]; ``speed``: fraction of
    their largest velocities (0.5); ``seconds``: minimum duration.

    Raises:
        ValueError: if an argument cannot be used.
    """
    goal = arguments.get("goal")
    if isinstance(goal, bool) or not isinstance(goal, str | int | float):
        raise ValueError(f"goal: found {goal}; expected open, closed or a position")
    positions = scene.fingers(hand_of(scene, arguments), goal)
    seconds = number(arguments, "seconds")
    return scene.to_positions(positions, speed=speed_of(arguments), seconds=seconds)


def hold(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return a motion that holds the present positions. Argument: ``seconds``, its duration (1).

    Raises:
        ValueError: if the duration is not a number above 0.
    """
    return scene.rest(number(arguments, "seconds", 1.0) or 1.0)
