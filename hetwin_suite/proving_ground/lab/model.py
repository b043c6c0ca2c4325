"""The stand-in as a model of an ensemble: the real robot of a rehearsal, in the same process as its twin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hetwin_core.ensemble.model import (
    AttributeStart,
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.parameters import Parameters, ResolvedPath, parameter
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Selection
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Value
from hetwin_core.ensemble.validation import Name, Text
from hetwin_suite.proving_ground.lab.connection import Connection
from hetwin_suite.proving_ground.lab.hidden import Hidden
from hetwin_suite.proving_ground.lab.robot import LabRobot
from hetwin_suite.runs import RunFailed, load_scenario

TRUE_POSE = AttributeSpec("true_pose", POSE.size, POSE.unit)
"""Where the real robot is, which neither twin nor controller knows."""
WHEEL_ANGLES = AttributeSpec("wheel_angles", 2, "rad")
"""What its wheels have turned, left and right."""


class Settings(Parameters):
    """The parameters of the model."""

    scenario: ResolvedPath = parameter("scenario whose world, robot and reactive layer it has")
    controller: Name = parameter(
        "the reactive layer: a machine_network of that scenario", "reactive"
    )
    command: Text = parameter("name of the events that are commands to it", "command")
    reply: Text = parameter("name of the reactive layer's events that are its answers", "reply")
    entity: Name = parameter("name of the robot in the scene, a concept", "real_robot")
    hidden: bool = parameter("whether it differs from its data sheet, by the seed", True)
    friction: float | None = parameter(
        "of its wheels on the floor; default: as in the world's file", None, ge=0, le=10
    )
    lossy: bool = parameter("whether answers are lost or late", True)


class LabRobotStandIn(Model):
    """A robot with a world of its own, that answers commands as a real one does: late, and not always."""

    settings_class = Settings

    def __init__(self) -> None:
        self._robot: LabRobot | None = None

    @classmethod
    def describe(cls) -> ModelDescription:
        """Describe the model."""
        return ModelDescription(
            kind=ModelKind.SIMULATION,
            summary="A stand-in for a real lab robot: hidden wheels, speeds and lag; answers get lost.",
            rate=20.0,
            provides=(TRUE_POSE, WHEEL_ANGLES),
            raises={"reply": "an answer of the robot to a command: the reactive layer's arguments"},
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Draw what is hidden, and build the robot.

        Raises:
            BadInput: if the scenario has no such robot or controller.
        """
        settings = Settings.read(parameters)
        hidden = Hidden.drawn(seed, settings.friction) if settings.hidden else Hidden()
        if not settings.lossy:
            hidden = hidden.without_losses()
        self._robot = LabRobot(load_scenario(settings.scenario), settings.controller, hidden)
        self._connection = Connection(self._robot, hidden, seed, settings.command, settings.reply)
        self._entity = settings.entity
        return Contribution(
            entities=(Entity(self._entity, EntityKind.CONCEPT),),
            attributes=(
                AttributeStart(self._entity, TRUE_POSE, Value(self._robot.pose, 0)),
                AttributeStart(self._entity, WHEEL_ANGLES, Value(self._robot.wheel_angles, 0)),
            ),
            reads=(Selection(self._entity, "*"),),
        )

    def step(self, tick: StepInput) -> StepOutput:
        """Go on, and say what is heard of the robot."""
        if self._robot is None:
            raise RunFailed(self._entity, "step", tick.time_ns, "the model is not initialized")
        heard = self._connection.advance(tick.time_ns, tick.events)
        values = ((TRUE_POSE, self._robot.pose), (WHEEL_ANGLES, self._robot.wheel_angles))
        return StepOutput(
            time_ns=tick.time_ns,
            values={
                (self._entity, spec.name): Value(np.array(data), tick.time_ns)
                for spec, data in values
            },
            events=heard,
        )

    def stop(self) -> None:
        """End the simulation."""
        robot, self._robot = self._robot, None
        if robot is not None:
            robot.close()
