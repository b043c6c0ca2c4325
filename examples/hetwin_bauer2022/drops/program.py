"""The robot's program for a drop, planned with the robot's beliefs.

It explores: to learn the boundary of success, it also aims beside the container.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from hetwin_bauer2022.containers import Container
from hetwin_bauer2022.drops.draw import Draw
from hetwin_bauer2022.tennis_table import BALL_ABOVE_FOOT, BALL_RADIUS, TABLE_TOP
from hetwin_stand_ins.motion import TICK_S, Program
from hetwin_stand_ins.reaching import ArmKinematics
from hetwin_suite.model import Floats, Json

DOWN = np.array([0.0, 1.0, 0.0, 0.0])
"""Orientation of the palm with its z pointing down and its x forward; w, x, y, z."""
HOME_AT = np.array([0.45, -0.25, 1.05])
_NEAR_HOME = np.array([-0.6, -0.6, 0.7, -1.4, 0.0, 1.9, 0.0])
_GRAVITY = 9.81
_OPENING_S = 0.035
"""Delay between the opening command and free fall of the ball [s]."""
TO_RELEASE_S, TO_BEGIN_S = 1.6, 1.4
"""Durations of the hand's motion to a release at rest, and to the start of a throw [s]."""
_KNOCK_S = 0.1
"""Duration of a knock in each direction [s]."""
_THROW_LENGTH_M = 0.3
"""Length of the hand's path in a throw [m]."""


def home_posture(reacher: ArmKinematics) -> Floats:
    """Return (7,) joint positions of the right arm at which all programs start."""
    return reacher.solve(HOME_AT, _NEAR_HOME, DOWN)


def aim_point(container: Container, pose: Floats, aim: float, bearing: float) -> Floats:
    """Return (2,) the point on a ray from the container's centre that is `aim` inside its rim, in the world."""
    ray = np.array([cos(bearing), sin(bearing)])
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if container.margin(middle * ray) > aim else (low, middle)
    x, y = low * ray
    yaw = 2 * atan2(pose[6], pose[3])
    offset = np.array([x * cos(yaw) - y * sin(yaw), x * sin(yaw) + y * cos(yaw)])
    return np.asarray(pose[:2] + offset)


def above(point: Floats, height: float) -> Floats:
    """Return (3,) a point at `height` above a point."""
    return np.asarray(point + np.array([0.0, 0.0, height]))


def plan(reacher: ArmKinematics, drawn: Draw) -> Program:
    """Plan the whole program.

    Raises:
        RunFailed: if a position is out of the arm's reach.
    """
    program = Program(reacher, home_posture(reacher), DOWN)
    arguments = {"hand": "right_hand", "object": "ball"}
    target = {**arguments, "container": drawn.container.name}
    grasp = above(drawn.stand_pose(False)[:3], BALL_ABOVE_FOOT + drawn.height_error)
    program.grip(0.0)
    program.wait(0.3)
    with program.doing("reach", arguments):
        program.move_straight(above(grasp, 0.12), 1.2)
        program.move_straight(grasp, 0.8)
        program.wait(0.1)
    with (
        program.doing("grasp", arguments),
        program.doing("move_hand", {**arguments, "goal": "closed"}),
    ):
        program.grip(1.0)
        program.wait(1.1)
    program.announce("bind", arguments)
    _carry(program, drawn, grasp, target)
    with program.doing("retreat", {"hand": "right_hand"}):
        program.move_straight(above(reacher.point(program.last), 0.06), 0.6)
        program.move_joints(program.home, 1.2)
    program.wait(0.6)
    program.announcements.sort(key=lambda announcement: announcement.time)
    return program


def _carry(program: Program, drawn: Draw, grasp: Floats, target: dict[str, str]) -> None:
    """Lift the ball, move it over the container and release it, at rest or in motion."""
    pose = drawn.container_pose(False)
    aim = aim_point(drawn.container, pose, drawn.aim, drawn.bearing)
    height = TABLE_TOP + drawn.container.height + BALL_RADIUS + drawn.clearance
    lifted = np.array([*grasp[:2], max(height, 1.0) + 0.01])
    with program.doing("lift", {"hand": target["hand"], "object": target["object"]}):
        program.move_straight(lifted, 0.9)
    release = np.array([*aim, height])
    release_parameters = {
        "clearance": drawn.clearance,
        "speed": drawn.speed,
        "course": drawn.course,
    }
    arguments: dict[str, Json] = {**target, **release_parameters}
    if drawn.knock.any():
        _knock(program, drawn.knock)
    if not drawn.speed:
        with program.doing("move", arguments):
            program.move_straight(release, TO_RELEASE_S)
            program.wait(0.25)
        program.announce("release", target)
        program.grip(0.0)
        with program.doing("move_hand", {"hand": target["hand"], "goal": "open"}):
            program.wait(0.5)
        return
    throw = plan_throw(release, pose[:2] - drawn.stand, **release_parameters)
    with program.doing("move", arguments):
        program.move_straight(throw.start, TO_BEGIN_S)
        begin = program.now
        program.move_straight(throw.end, throw.duration_s)
    opening = round(begin + throw.duration_s / 2, 3)
    program.announce("release", target, opening)
    program.grip(0.0, opening)
    hand_command = {"hand": target["hand"], "goal": "open"}
    program.annotate("move_hand", hand_command, opening, opening + 0.5)


def _knock(program: Program, displacement: Floats) -> None:
    """Jerk the hand aside and back."""
    fraction = np.sin(np.pi * np.arange(1, round(_KNOCK_S / TICK_S) + 1) * TICK_S / _KNOCK_S)
    program.follow(program.reacher.point(program.last) + fraction[:, None] * displacement)
    program.wait(0.1)


class Throw(NamedTuple):
    """A straight motion of the hand, which opens in its middle.

    Attributes:
        start: (3,) start [m].
        end: (3,) end [m].
        duration_s: duration, with minimum jerk [s].
    """

    start: Floats
    end: Floats
    duration_s: float


def plan_throw(aim: Floats, ahead: Floats, clearance: float, speed: float, course: float) -> Throw:
    """Return the throw through a point.

    Args:
        aim: (3,) point above the rim by the clearance and the ball's radius [m].
        ahead: (2,) horizontal direction to the container.
        clearance: distance between the ball's lowest point and the rim when the hand opens [m].
        speed: speed of the hand when it opens [m/s].
        course: direction of its motion relative to `ahead` [rad].
    """
    angle = atan2(ahead[1], ahead[0]) + course
    direction = np.array([cos(angle), sin(angle), 0.0])
    release = aim - direction * speed * (_OPENING_S + sqrt(2 * clearance / _GRAVITY))
    # The peak velocity of a minimum-jerk motion is 1.875 times the mean.
    duration_s = 1.875 * _THROW_LENGTH_M / speed
    return Throw(
        release - direction * _THROW_LENGTH_M / 2,
        release + direction * _THROW_LENGTH_M / 2,
        duration_s,
    )
