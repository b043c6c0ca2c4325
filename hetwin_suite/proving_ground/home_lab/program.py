"""The program of the scenario `home_lab`: a TIAGo takes a cup from a table and brings it before the microwave.

It takes the cup in two stages, approaching and grasping (Jiang et al., section IV.B). It knows its home, and is told
where the cup is.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

from model_nodes.robot_program.errors import Failed
from model_nodes.robot_program.robot import Robot

HAND, CUP = "hand", "cup"
CUP_AT = (2.94, 3.58, 0.81)
"""Where the cup stands [m]."""
AWAY_FROM_TABLE = 2.2
"""y of the base where it turns [m]."""
BEFORE_MICROWAVE = (2.2, 2.0, 0.0)
"""Where the base is in the end: x, y [m], yaw [rad]."""
REACH = 0.74
"""The hand is so far ahead of the base where it takes the cup [m]."""
ASIDE = 0.085
"""The hand stands off to the right of the cup by so much [m]."""
ABOVE = 0.13
"""The cup is lifted by so much [m]."""
GRASP = 0.02
"""The cup is gripped so far above its middle [m]."""
TORSO = "torso_lift_joint"
THUMB = "hand_thumb_abd_joint"
AROUND = 0.54
"""The fingers close so far, if nothing stops them: around a cup, not to a fist [rad]."""
OPPOSED = 1.42
"""The thumb is opposed to the fingers, before they close [rad]."""
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
"""The hand is ahead, its palm to the left, and the torso has room to go down [rad, m]."""


def fetch_a_cup(robot: Robot, cup: Sequence[float] = CUP_AT) -> None:
    """Take a cup from a table and bring it before the microwave.

    Args:
        robot: a TIAGo.
        cup: where the cup's middle is, x y z [m] in the world.
    """
    with robot.task("fetch", goal=f'held("{CUP}", "{HAND}")', object=CUP, target="table1"):
        _take(robot, cup)
        _bring(robot)


def _take(robot: Robot, cup: Sequence[float]) -> None:
    x, y, z = cup[0], cup[1], cup[2] + GRASP
    with robot.task("pick_up", goal=f'held("{CUP}", "{HAND}")', hand=HAND, object=CUP):
        robot.drive(x, AWAY_FROM_TABLE, pi / 2, target="table2")
        robot.move_joints(READY, speed=0.6)
        ahead = (x + ASIDE, AWAY_FROM_TABLE + REACH, z + ABOVE)
        robot.reach(HAND, (*ahead, *_turned(pi / 2)), speed=0.5, operation="")
        robot.drive_straight(y - REACH - robot.place.y, target="table2")
        with robot.doing("approach", hand=HAND, object=CUP):
            _to(robot, (x + ASIDE, y, z + ABOVE), pi / 2)  # the base has not stopped exactly there
            _up(robot, -ABOVE)
        with robot.doing("grasp", hand=HAND, object=CUP):
            _to(robot, (x, y, z), pi / 2, 0.08)
            robot.move_joints({THUMB: OPPOSED}, seconds=1.0)
            if not robot.move_hand(HAND, AROUND, object=CUP):
                raise Failed("there is nothing between the fingers")
            robot.wait(0.3)
        with robot.doing("lift", hand=HAND, object=CUP):
            _up(robot, ABOVE)


def _bring(robot: Robot) -> None:
    robot.drive_straight(AWAY_FROM_TABLE - robot.place.y, carried=[CUP])
    robot.drive(*BEFORE_MICROWAVE, carried=[CUP], target="table1")


def _to(robot: Robot, at: Sequence[float], yaw: float, speed: float = 0.15) -> None:
    """Go straight to a place with a hand that points ahead, its palm to the left."""
    robot.reach(HAND, (*at, *_turned(yaw)), straight=True, speed=speed, operation="")


def _up(robot: Robot, way: float) -> None:
    """Raise the hand by the torso, or lower it."""
    robot.move_joints({TORSO: robot.joints[TORSO] + way}, speed=0.9)


def _turned(yaw: float) -> tuple[float, float, float, float]:
    return (cos(yaw / 2), 0.0, 0.0, sin(yaw / 2))
