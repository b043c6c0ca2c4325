"""The skill `drop_into`: the program of a drop from the action `move` on, without the opening of the hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hetwin_bauer2022.containers import container
from hetwin_bauer2022.drops.program import (
    TO_BEGIN_S,
    TO_RELEASE_S,
    aim_point,
    plan_throw,
)
from hetwin_bauer2022.tennis_table import BALL_RADIUS, TABLE_TOP
from hetwin_programs import SkillScene, hand_of, numbers
from hetwin_suite.model import Json
from hetwin_suite.robot import JointTrajectory, concatenate


def drop_into(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the arm's motion over a container: to rest, or, with a speed, through the point of release.

    Arguments: ``hand``; ``container``: bin, crate, tray or vase; ``place``: its believed pose; ``inside``: distance of
    the aim inside its rim, at most up to the centre, negative outside [m]; ``bearing``: direction of the aim from the
    centre, in the container's frame [rad]; ``clearance``: height of the ball above the rim (0.06 m); ``speed``: speed
    of the hand when it opens (0 m/s); ``course``: direction of its motion relative to the direction from the hand to
    the container (0 rad).

    Raises:
        ValueError: if an argument cannot be used.
        CannotReach: if the motion is out of the arm's reach.
    """
    hand, name = hand_of(scene, arguments), arguments.get("container")
    try:
        target = container(str(name))
    except KeyError:
        raise ValueError(f"container: found {name}; expected bin, crate, tray or vase") from None
    pose = np.array(numbers(arguments.get("place"), "place", (7,)))
    clearance, speed = _number(arguments, "clearance", 0.06), _number(arguments, "speed", 0.0)
    aim = aim_point(target, pose, _number(arguments, "inside"), _number(arguments, "bearing"))
    release = np.array([*aim, TABLE_TOP + target.height + BALL_RADIUS + clearance])
    if speed <= 0.0:
        return scene.hand_to(hand, release.tolist(), straight=True, seconds=TO_RELEASE_S)
    ahead = pose[:2] - np.array(scene.hand_pose(hand)[:2])
    throw = plan_throw(release, ahead, clearance, speed, _number(arguments, "course", 0.0))
    to_begin = scene.hand_to(hand, throw.start.tolist(), straight=True, seconds=TO_BEGIN_S)
    through = scene.hand_to(hand, throw.end.tolist(), straight=True, seconds=throw.duration_s)
    return concatenate([to_begin, through])


def _number(arguments: Mapping[str, Json], name: str, default: float | None = None) -> float:
    value = arguments.get(name, default)
    return numbers([value], name, (1,))[0]
