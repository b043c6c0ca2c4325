"""The robots of a world, each with the scenario's entry about it."""

from __future__ import annotations

from dataclasses import dataclass

from hetwin_core.ensemble.scenario.robot import Robot
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.world.description import Body, World, frame_name, joint_name


@dataclass(frozen=True, slots=True)
class SceneRobot:
    """One robot.

    Attributes:
        body: as it was loaded.
        said: the scenario's entry; None for a robot that the world includes.
        where: the scenario's key for it, for errors.
    """

    body: Body
    said: Robot | None
    where: str

    @property
    def links(self) -> dict[str, str]:
        """The robot's own name of a link -> the scene's."""
        return {link.name: frame_name(self.body, link.name) for link in self.body.links}

    @property
    def joints_at_start(self) -> dict[str, float]:
        """Positions at the start that the scenario gives, by the scene's names of the joints [rad or m]."""
        if self.said is None:
            return {}
        names = {joint.name: joint_name(self.body, joint) for joint in self.body.moving_joints}
        return {names[joint]: at for joint, at in self.said.joints_at_start.items()}


def robots_of(settings: Settings, world: World) -> tuple[SceneRobot, ...]:
    """All robots, in the order of their joints."""
    return tuple(
        SceneRobot(body, settings.robots[body.name], f"robots.{body.name}")
        if body.one_of_several
        else SceneRobot(body, settings.robot, "robot")
        for body in world.bodies
        if body.robot
    )
