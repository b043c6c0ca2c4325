"""The model that shows the twin in a running Gazebo."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from hetwin_gazebo.bindings import gazebo
from hetwin_gazebo.view.robots import ShownRobot
from hetwin_gazebo.view.running_gazebo import NoResponse, RunningGazebo
from hetwin_suite.engine import moving_joints
from hetwin_suite.model import (
    Amount,
    BadInput,
    Changes,
    Contribution,
    Entity,
    EntityKind,
    Model,
    Parameters,
    RobotDescription,
    Snapshot,
    Tick,
    parameter,
)


class Settings(Parameters):
    """The parameters of the model."""

    world: str | None = parameter("name of Gazebo's world; default: the only one", None)
    partition: str | None = parameter(
        "GZ_PARTITION of the running Gazebo; default: the environment's", None
    )
    step: Amount = parameter("duration of a step of the running Gazebo", 0.001, "s")
    urdf: RobotDescription = parameter("description of the robot, given by the run", "")
    patience: Amount = parameter("maximum time to wait for Gazebo at the start", 5.0, "s")


class GazeboView(Model[Settings]):
    """Creates a visual model of every entity in a running Gazebo, and moves them with the twin.

    A robot is one model with its links and joints. The models have no mass and no collisions. If Gazebo is paused at
    the start, it is stepped in time with the twin; otherwise it keeps running. At the end the models are removed.

    The run does not depend on that Gazebo: while it is closed or hangs, nothing is shown; when it is available again,
    the models are created again.
    """

    summary = "Shows the twin in a running Gazebo."
    rate = 25.0
    raises: ClassVar[Mapping[str, str]] = {
        "view_lost": "the running Gazebo has ended or hangs; nothing is shown: reason",
        "view_back": "the running Gazebo is available again and shows the twin: seconds without it [s]",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Find the running Gazebo.

        Raises:
            BadInput: if Gazebo's bindings are not installed, or no Gazebo runs.
        """
        self._entities: list[Entity] = []
        self._is_created = self._is_lost = False
        self._lost_ns = 0
        try:
            gz = gazebo()
        except ImportError as error:
            raise BadInput(
                str(error), where="gazebo_view", expected="Gazebo on this machine"
            ) from None
        self._gazebo = RunningGazebo(gz, settings.partition, settings.world)
        self._gazebo.find(settings.patience)
        self._joints = moving_joints(settings.urdf)
        self._robots: tuple[ShownRobot, ...] = ()

    def start(self, scene: Snapshot) -> None:
        """Create the visual models; a failure of Gazebo is reported by the first step."""
        self._robots = ShownRobot.find(scene.layout.entities, self._joints)
        linked = {link.name for robot in self._robots for link in robot.links}
        self._entities = [
            entity
            for entity in scene.layout.entities
            if entity.shapes and entity.name not in linked and _has_pose(scene, entity)
        ]
        self._moving_entities = [e for e in self._entities if e.kind is not EntityKind.STATIC]
        self._folder = tempfile.TemporaryDirectory(prefix="hetwin_view_")
        with suppress(NoResponse):
            self._create(scene)

    def _create(self, scene: Snapshot) -> None:
        self._gazebo.create(self._entities, self._robots, scene, Path(self._folder.name))
        self._is_created = True

    def step(self, tick: Tick) -> Changes:
        """Move the visual models to the poses of their entities, if Gazebo is available."""
        changes = tick.changes()
        if self._is_lost and not self._gazebo.is_back():
            return changes
        try:
            if not self._is_created:
                self._create(tick.scene)
            self._gazebo.move(self._moving_entities, tick.scene)
            steps = round(tick.period_ns * 1e-9 / self.settings.step)
            self._gazebo.step(self._robots, tick.scene, steps)
        except NoResponse as error:
            if not self._is_lost:
                changes.event("view_lost", reason=str(error))
                self._lost_ns = tick.time_ns
            self._is_lost, self._is_created = True, False
        else:
            if self._is_lost:
                changes.event("view_back", seconds=(tick.time_ns - self._lost_ns) * 1e-9)
            self._is_lost = False
        return changes

    def stop(self) -> None:
        """Remove the visual models, if Gazebo is available."""
        robots = [robot.entity for robot in getattr(self, "_robots", ())]
        entities: list[Entity] = [*getattr(self, "_entities", ()), *robots]
        if not entities:
            return
        self._entities, self._robots = [], ()
        with suppress(NoResponse):
            if self._is_created:
                self._gazebo.remove(entities)
        self._folder.cleanup()


def _has_pose(scene: Snapshot, entity: Entity) -> bool:
    try:
        scene.pose(entity.name)
    except KeyError:
        return False
    return True
