"""The program of the scenario `home_lab`: a TIAGo takes a cup from a table, and warms it in a microwave.

It takes the cup in two stages, approaching and grasping (Jiang et al., section IV.B), puts it into the open microwave,
pushes the door shut and presses the button, as the microwave's functional attributes require (section III.E). It knows
its home, and is given the position of the cup.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

from hetwin_programs import Failed, Robot
from hetwin_suite.model import Json

HAND, CUP, MICROWAVE = "hand", "cup", "microwave"
CUP_AT = (2.94, 3.58, 0.81)
"""Position of the cup [m]."""
BEFORE_TABLE, AWAY_FROM_TABLE = 2.86, 2.45
"""y of the base at the grasp, and where it turns [m]."""
BEFORE_MICROWAVE = (2.2, 1.75, 0.0)
"""Pose of the base facing the microwave, on the other side of its open door: x, y [m], yaw [rad]."""
MICROWAVE_PLACE = (3.86, 1.98, 0.83)
"""Target of the cup's centre in the microwave [m]."""
HAND_DISTANCE = 0.74
"""Distance of the hand ahead of the base for grasping and placing [m]."""
SIDE_OFFSET = 0.085
"""Offset of the hand to the right of the cup before the grasp [m]."""
LIFT_HEIGHT = 0.13
"""Height of the lift [m]."""
GRASP_HEIGHT = 0.02
"""Height of the grasp above the cup's centre [m]."""
TORSO = "torso_lift_joint"
THUMB = "hand_thumb_abd_joint"
AROUND_CUP = 0.54
"""Goal of the closing fingers: around a cup, not to a fist [rad]."""
READY = {
    "torso_lift_joint": 0.21,
    "arm_1_joint": 1.16,
    "arm_2_joint": 1.05,
    "arm_3_joint": -0.07,
    "arm_4_joint": 1.96,
    "arm_5_joint": 1.12,
    "arm_6_joint": 0.93,
    "arm_7_joint": -1.33,
}
"""Posture with the hand ahead, its palm to the left, and room for the torso to go down [rad, m]."""
FOLDED = {
    "torso_lift_joint": 0.15,
    "arm_1_joint": 0.2,
    "arm_2_joint": -1.34,
    "arm_3_joint": -0.2,
    "arm_4_joint": 1.94,
    "arm_5_joint": -1.57,
    "arm_6_joint": 1.37,
    "arm_7_joint": 0.0,
}
"""Posture with the arm beside the body, for driving past obstacles [rad, m]."""
BEHIND_DOOR = (2.3, 2.5, 0.0)
"""Pose of the base before the hand moves behind the open door: x, y [m], yaw [rad]."""
DOOR_PATH = ((3.32, 2.5), (3.32, 1.97))
"""Path of the hand while it swings the door from behind, x and y [m]."""
BEFORE_DOOR = (2.2, 2.02, 0.0)
"""Pose of the base before it pushes the door shut: x, y [m], yaw [rad]."""
SHUT_X = 3.58
"""x of the hand when the door is shut [m]."""
DOOR_HEIGHT = 0.93
BEFORE_BUTTON = (2.3, 1.69, 0.0)
BUTTON = (3.589, 1.69, 0.88)
"""Position of the hand that presses the button [m]."""
PRESS_DISTANCE = 0.1
"""Distance from which the hand approaches the button [m]."""
FIST_POSITION = 0.785
"""Position of the fingers of a pushing hand [rad]."""


def warm_a_cup(robot: Robot, cup: Sequence[float] = CUP_AT, shut: bool = True) -> None:
    """Take a cup to the microwave and warm it.

    Args:
        robot: a TIAGo.
        cup: position of the cup's centre in the world, x y z [m].
        shut: whether the robot shuts the door.
    """
    with robot.task("warm", goal=f'hot("{CUP}")', object=CUP, target=MICROWAVE):
        functions = robot.functions(MICROWAVE)
        if not {"heatable", "receptacle"} <= functions.keys():
            raise Failed(f"{MICROWAVE} is not a heating appliance with room inside")
        _take(robot, cup)
        _put(robot)
        if shut and "openable" in functions:
            _shut(robot)
        if "toggleable" in functions:
            _press(robot)


def _take(robot: Robot, cup: Sequence[float]) -> None:
    arguments: dict[str, Json] = {"object": CUP}
    x, y, z = cup[0], cup[1], cup[2] + GRASP_HEIGHT
    with robot.task("pick_up", goal=f'held("{CUP}", "{HAND}")', hand=HAND, object=CUP):
        robot.drive(x, AWAY_FROM_TABLE, pi / 2, target="table2")
        robot.move_joints(READY, speed=0.6)
        ahead = (x + SIDE_OFFSET, AWAY_FROM_TABLE + HAND_DISTANCE, z + LIFT_HEIGHT)
        robot.reach(HAND, (*ahead, *_yaw_quaternion(pi / 2)), speed=0.5, operation="")
        robot.drive_straight(y - HAND_DISTANCE - robot.place.y, target="table2")
        with robot.doing("approach", hand=HAND, **arguments):
            _move_hand_to(
                robot, (x + SIDE_OFFSET, y, z + LIFT_HEIGHT), pi / 2
            )  # corrects for the base's inexact stop
            _raise_hand(robot, -LIFT_HEIGHT)
        with robot.doing("grasp", hand=HAND, **arguments):
            _move_hand_to(robot, (x, y, z), pi / 2, 0.08)
            if not robot.move_hand(HAND, AROUND_CUP, object=CUP):
                raise Failed("there is nothing between the fingers")
            robot.wait(0.3)
        with robot.doing("lift", hand=HAND, **arguments):
            _raise_hand(robot, LIFT_HEIGHT)


def _put(robot: Robot) -> None:
    arguments: dict[str, Json] = {"object": CUP, "target": MICROWAVE}
    x, y, z = MICROWAVE_PLACE[0], MICROWAVE_PLACE[1], MICROWAVE_PLACE[2] + GRASP_HEIGHT
    goal = f'in_container("{CUP}", "{MICROWAVE}")'
    with robot.task("place", goal=goal, hand=HAND, object=CUP, target=MICROWAVE):
        robot.drive_straight(AWAY_FROM_TABLE - robot.place.y, carried=[CUP])
        robot.drive(*BEFORE_MICROWAVE, carried=[CUP], target="table1")
        robot.reach(
            HAND,
            (BEFORE_MICROWAVE[0] + HAND_DISTANCE, y, z + 0.04, *_yaw_quaternion(0.0)),
            speed=0.3,
            operation="carry",
            object=CUP,
            target=MICROWAVE,
        )
        robot.drive_straight(
            x - HAND_DISTANCE - robot.place.x, carried=[CUP], target="table1", speed=0.2
        )
        with robot.doing("lower", hand=HAND, **arguments):
            _raise_hand(robot, -0.037)
        with robot.doing("release", hand=HAND, **arguments):
            robot.move_hand(HAND, "open", object=CUP, target=MICROWAVE)
            robot.move_joints({THUMB: 0.0}, seconds=0.8)  # otherwise the thumb drags the cup along
            _move_hand_to(robot, (x, y - 0.06, z), 0.0)
        robot.drive_straight(BEFORE_MICROWAVE[0] - robot.place.x, speed=0.3)
        robot.move_hand(HAND, FIST_POSITION, operation="")  # open fingers would touch the torso
        robot.move_joints(FOLDED, speed=0.6)


def _shut(robot: Robot) -> None:
    with robot.task("shut", goal=f'!open("{MICROWAVE}")', hand=HAND, target=MICROWAVE):
        _drive_with_hand_ahead(robot, BEHIND_DOOR, DOOR_PATH[0][1], DOOR_HEIGHT)
        robot.drive_straight(DOOR_PATH[0][0] - HAND_DISTANCE - robot.place.x, target=MICROWAVE)
        with robot.doing("push", hand=HAND, target=MICROWAVE):
            _move_hand_to(robot, (*DOOR_PATH[1], DOOR_HEIGHT), 0.0, 0.15)
        robot.drive_straight(BEHIND_DOOR[0] - robot.place.x, speed=0.3)
        _drive_with_hand_ahead(robot, BEFORE_DOOR, BEFORE_DOOR[1], DOOR_HEIGHT)
        with robot.doing("push", hand=HAND, target=MICROWAVE):
            robot.drive_straight(
                SHUT_X - HAND_DISTANCE - robot.place.x, target=MICROWAVE, speed=0.2
            )
        robot.drive_straight(BEFORE_DOOR[0] - robot.place.x, speed=0.3)


def _press(robot: Robot) -> None:
    with robot.task("switch_on", goal=f'switched_on("{MICROWAVE}")', hand=HAND, target=MICROWAVE):
        _drive_with_hand_ahead(robot, BEFORE_BUTTON, BUTTON[1], BUTTON[2])
        robot.drive_straight(
            BUTTON[0] - PRESS_DISTANCE - HAND_DISTANCE - robot.place.x, target=MICROWAVE
        )
        with robot.doing("press", hand=HAND, target=MICROWAVE):
            _move_hand_to(robot, BUTTON, 0.0, 0.05)
            robot.wait(0.4)
        robot.drive_straight(BEFORE_BUTTON[0] - robot.place.x, speed=0.3)
        robot.wait(2.0)


def _drive_with_hand_ahead(
    robot: Robot, base: tuple[float, float, float], y: float, z: float
) -> None:
    """Drive to a pose, with the hand held ahead."""
    robot.drive(*base, target=MICROWAVE)
    robot.reach(
        HAND, (base[0] + HAND_DISTANCE, y, z, *_yaw_quaternion(0.0)), speed=0.5, operation=""
    )


def _move_hand_to(robot: Robot, position: Sequence[float], yaw: float, speed: float = 0.15) -> None:
    """Move straight to a position with a hand that points ahead, its palm to the left."""
    robot.reach(HAND, (*position, *_yaw_quaternion(yaw)), straight=True, speed=speed, operation="")


def _raise_hand(robot: Robot, height: float) -> None:
    """Raise or lower the hand by the torso."""
    robot.move_joints({TORSO: robot.joints[TORSO] + height}, speed=0.9)


def _yaw_quaternion(yaw: float) -> tuple[float, float, float, float]:
    return (cos(yaw / 2), 0.0, 0.0, sin(yaw / 2))
