"""Says which robots can be simulated where."""

from __future__ import annotations

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import DriveMode
from model_nodes.main_physics.world.description import Body, World
from model_nodes.main_physics.world.drives import Base

_EXPECTED = "the physics engine dartsim in a world of the twin's own, or "


def check_robots(world: World, where: str) -> None:
    """Raise an error if a base moves or a joint does not follow, as only dartsim has it in the engine's own world.

    bullet-featherstone holds wheels back that turn against each other, lets a base sink that is led, and its motors
    have no limits that change; what the models of a running Gazebo can do is up to that Gazebo.

    Args:
        world: with the robots.
        where: the physics engine, or that Gazebo.

    Raises:
        BadInput: if a base is not fixed or a joint does not follow.
    """
    for robot in (body for body in world.bodies if body.robot):
        if robot.base is not Base.FIXED:
            raise BadInput(
                f"the base of {robot.name} does not move in {where}",
                where="robot.base",
                found=robot.base.value,
                expected=f"{_EXPECTED}base: fixed",
            )
        if loose := _loose(robot):
            raise BadInput(
                f"joints of {robot.name} only follow in {where}",
                where="robot.drives",
                found=", ".join(loose),
                expected=f"{_EXPECTED}mode: follow",
            )


def _loose(robot: Body) -> list[str]:
    driven = robot.driven_joints
    return [joint.name for joint in driven if joint.drive.mode is not DriveMode.FOLLOW]
