"""The robots of a world, each with its entry in the scenario."""

from __future__ import annotations

from dataclasses import dataclass

from hetwin_core.ensemble.scenario.robot import Robot
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.world.description import Body, World, frame_name, joint_name


@dataclass(frozen=True, slots=True)
class SceneRobot:
    """A robot of the world.

    Attributes:
        body: the robot as it was loaded.
        entry: the scenario's entry; None for a robot that the world includes.
        where: the scenario's key of the robot, for errors.
    """

    body: Body
    entry: Robot | None
    where: str

    @property
    def links(self) -> dict[str, str]:
        """The robot's own name of a link -> the scene's name."""
        return {link.name: frame_name(self.body, link.name) for link in self.body.links}

    @property
    def joints_at_start(self) -> dict[str, float]:
        """Positions at the start that the scenario gives, by the joints' names in the scene [rad or m]."""
        if self.entry is None:
            return {}
        names = {joint.name: joint_name(self.body, joint) for joint in self.body.moving_joints}
        return {names[joint]: position for joint, position in self.entry.joints_at_start.items()}


def robots_of(settings: Settings, world: World) -> tuple[SceneRobot, ...]:
    """All robots, in the order of their joints."""
    return tuple(
        SceneRobot(body, settings.robots[body.name], f"robots.{body.name}")
        if body.one_of_several
        else SceneRobot(body, settings.robot, "robot")
        for body in world.bodies
        if body.robot
    )
