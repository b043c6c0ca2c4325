"""The stand-in as a model: the real robot of a rehearsal, in the same process as its twin."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, ClassVar

from hetwin_suite.model import (
    POSE,
    AttributeSpec,
    Changes,
    Contribution,
    Entity,
    EntityKind,
    File,
    Model,
    Name,
    Parameters,
    RunFailed,
    Text,
    Tick,
    parameter,
)
from hetwin_suite.runs import Scenario, load_scenario
from hetwin_twin_lab.connection import Connection
from hetwin_twin_lab.hidden import HiddenParameters
from hetwin_twin_lab.robot import LabRobot

if TYPE_CHECKING:
    from hetwin_twin_lab.running import RunningLabRobot

TRUE_POSE = AttributeSpec("true_pose", POSE.size, POSE.unit)
"""True pose of the real robot, unknown to twin and controller."""
WHEEL_ANGLES = AttributeSpec("wheel_angles", 2, "rad")
"""Rotation of its wheels, left and right."""


class Settings(Parameters):
    """The parameters of the model."""

    scenario: File = parameter("scenario with the world, the robot and the reactive layer")
    controller: Name = parameter(
        "the reactive layer, a machine_network of that scenario", "reactive"
    )
    command: Text = parameter("name of the command events", "command")
    reply: Text = parameter("name of the reactive layer's events that are answers", "reply")
    entity: Name = parameter("name of the robot in the scene, where it is a concept", "real_robot")
    hidden: bool = parameter("whether it differs from its data sheet, by the seed", True)
    friction: float | None = parameter(
        "friction of its wheels on the floor; default: as in the world's file", None, ge=0, le=10
    )
    lossy: bool = parameter("whether answers are lost or late", True)


class LabRobotStandIn(Model[Settings]):
    """A robot in a world of its own that answers commands like a real one: with delays and losses."""

    summary = "A stand-in for a real lab robot: hidden wheels, speeds and lag; answers get lost."
    rate = 20.0
    provides = (TRUE_POSE, WHEEL_ANGLES)
    raises: ClassVar[Mapping[str, str]] = {
        "reply": "an answer of the robot to a command: the reactive layer's arguments"
    }

    @classmethod
    def obeying(
        cls, scenario: Scenario, controller: str, namespace: str, seed: int | None
    ) -> AbstractContextManager[RunningLabRobot]:
        """Return the robot over ROS 2, ready to obey; see `hetwin_suite.robot.StandIn`."""
        from hetwin_twin_lab.running import lab_robot

        return lab_robot(scenario, controller, namespace, seed)

    def __init__(self) -> None:
        self._robot: LabRobot | None = None

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Draw the hidden parameters, and build the robot.

        Raises:
            BadInput: if the scenario has no such robot or controller.
        """
        hidden = (
            HiddenParameters.draw(self.seed, settings.friction)
            if settings.hidden
            else HiddenParameters()
        )
        if not settings.lossy:
            hidden = hidden.without_losses()
        self._robot = LabRobot(load_scenario(settings.scenario), settings.controller, hidden)
        self._connection = Connection(
            self._robot, hidden, self.seed, settings.command, settings.reply
        )
        self._entity = settings.entity
        scene.add(Entity(self._entity, EntityKind.CONCEPT))
        scene.set(self._entity, TRUE_POSE, self._robot.pose)
        scene.set(self._entity, WHEEL_ANGLES, self._robot.wheel_angles)
        scene.needs((self._entity, "*"))

    def step(self, tick: Tick) -> Changes:
        """Advance the robot, and raise its received answers."""
        if self._robot is None:
            raise RunFailed(self._entity, "step", tick.time_ns, "the model is not initialized")
        answers = self._connection.advance(tick.time_ns, tick.events)
        changes = tick.changes().set(self._entity, TRUE_POSE, self._robot.pose)
        changes.events += answers
        return changes.set(self._entity, WHEEL_ANGLES, self._robot.wheel_angles)

    def stop(self) -> None:
        """End the simulation."""
        robot, self._robot = self._robot, None
        if robot is not None:
            robot.close()
