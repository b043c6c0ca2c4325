"""Gazebo view: shows the twin to a person in a Gazebo that is already running."""

from __future__ import annotations

import getpass
import os
import re
import socket
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.model import (
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.parameters import Amount, Parameters, parameter
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.shapes import Shape
from hetwin_core.ensemble.scene.snapshot import Snapshot
from model_nodes.main_physics.engines.gz.bindings import Gazebo, gazebo
from model_nodes.main_physics.engines.gz.sdf_parts import (
    add,
    add_mesh,
    add_pose,
    add_shape,
    numbers,
    write_mesh,
)


class Settings(Parameters):
    """The parameters of the model."""

    world: str | None = parameter("name of Gazebo's world; default: the only one", None)
    partition: str | None = parameter(
        "GZ_PARTITION of the running Gazebo; default: the environment's", None
    )
    step: Amount = parameter("length of a step of the running Gazebo", 0.001, "s")
    patience: Amount = parameter("how long to wait for Gazebo at the start", 5.0, "s")


_CREATE = re.compile(r"/world/([^/]+)/create_multiple")
_DEADLINE_MS = 2000


class GazeboView(Model):
    """Creates a visual model of every entity in a running Gazebo, and moves them with the twin.

    The models have no weight and no collisions. If Gazebo is paused at the start, it is stepped in time with the
    twin; otherwise it keeps running by itself. At the end the models are removed.
    """

    settings_class = Settings

    @classmethod
    def describe(cls) -> ModelDescription:
        """Describe the model."""
        return ModelDescription(
            kind=ModelKind.OBSERVER,
            summary="Shows the twin in a running Gazebo.",
            rate=25.0,
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Find the running Gazebo.

        Raises:
            BadInput: if Gazebo's bindings are not installed, or no Gazebo runs.
        """
        settings = Settings.read(parameters)
        self._step_s = settings.step
        own = os.environ.get("GZ_PARTITION")
        try:
            gz = gazebo()
        except ImportError as error:
            raise BadInput(
                str(error), where="gazebo_view", expected="Gazebo on this machine"
            ) from None
        partition = settings.partition or own or f"{socket.gethostname()}:{getpass.getuser()}"
        self._gazebo = RunningGazebo(gz, partition)
        self._gazebo.find(settings.world, settings.patience)
        return Contribution()

    def start(self, scene: Snapshot) -> None:
        """Create the visual models."""
        self._shown = [
            entity for entity in scene.layout.entities if entity.shapes and _has_pose(scene, entity)
        ]
        self._folder = tempfile.TemporaryDirectory(prefix="hetwin_view_")
        self._gazebo.create(self._shown, scene, Path(self._folder.name))

    def step(self, tick: StepInput) -> StepOutput:
        """Move the visual models to the poses of their entities."""
        moving = [e for e in self._shown if e.kind is not EntityKind.STATIC]
        self._gazebo.move(moving, tick.scene, tick.time_ns)
        self._gazebo.step(round(tick.period_ns * 1e-9 / self._step_s), tick.time_ns)
        return StepOutput(time_ns=tick.time_ns)

    def stop(self) -> None:
        """Remove the visual models."""
        shown = getattr(self, "_shown", None)
        if shown:
            self._gazebo.remove(shown)
            self._shown = []
            self._folder.cleanup()


class RunningGazebo:
    """The services of a Gazebo in another process.

    Raises:
        BadInput: if the partition's name is invalid.
    """

    def __init__(self, gz: Gazebo, partition: str) -> None:
        self._gz, self._partition = gz, partition
        options = gz.transport.NodeOptions()
        options.partition = partition
        if options.partition != partition:
            raise BadInput(
                "is not a name of a Gazebo partition",
                where="gazebo_view.partition",
                found=partition,
                expected="a name without spaces, such as GZ_PARTITION of that Gazebo",
            )
        self._node = gz.transport.Node(options)
        self._world = ""
        self._is_paused = False

    def find(self, world: str | None, patience_s: float) -> None:
        """Wait for a world.

        Raises:
            BadInput: if there is none, or there are several and none is named.
        """
        deadline = time.monotonic() + patience_s
        worlds: list[str] = []
        while time.monotonic() < deadline and (world or "") not in worlds:
            worlds = sorted(
                {m[1] for s in self._node.service_list() if (m := _CREATE.fullmatch(s))}
            )
            if worlds and world is None:
                break
            time.sleep(0.05)
        if world is None and len(worlds) == 1:
            world = worlds[0]
        if world is None or world not in worlds:
            raise BadInput(
                "no such world runs in Gazebo"
                if world or not worlds
                else "several worlds run in Gazebo",
                where="gazebo_view.world",
                found=world or ", ".join(worlds) or None,
                expected=", ".join(worlds)
                or f"a running Gazebo in the partition {self._partition}, such as: gz sim empty.sdf",
            )
        self._world = world
        self._read_paused(f"/world/{world}/stats", patience_s)

    def _read_paused(self, topic: str, patience_s: float) -> None:
        """Find out whether Gazebo is paused.

        The subscription must end with that: a request blocks the delivery of messages to Python, and Gazebo receives
        responses in the same thread as messages.
        """
        received = threading.Event()

        def on_statistics(statistics: Any) -> None:
            self._is_paused = bool(statistics.paused)
            received.set()

        self._node.subscribe(
            self._gz.message("world_stats_pb2", "WorldStatistics"), topic, on_statistics
        )
        received.wait(patience_s)
        self._node.unsubscribe(topic)

    def create(self, entities: list[Entity], scene: Snapshot, folder: Path) -> None:
        """Create a model without collisions for each entity."""
        factories = self._gz.message("entity_factory_v_pb2", "EntityFactory_V")()
        for entity in entities:
            factory = factories.data.add()
            factory.name = _name(entity)
            factory.sdf = picture(entity, scene.pose(entity.name)[:7].tolist(), folder)
        self._call("create_multiple", factories, 0)

    def move(self, entities: list[Entity], scene: Snapshot, time_ns: int) -> None:
        """Set the poses of the models."""
        poses = self._gz.message("pose_v_pb2", "Pose_V")()
        for entity in entities:
            x, y, z, w, i, j, k = scene.pose(entity.name)[:7].tolist()
            pose = poses.pose.add()
            pose.name = _name(entity)
            pose.position.x, pose.position.y, pose.position.z = x, y, z
            turn = pose.orientation
            turn.w, turn.x, turn.y, turn.z = w, i, j, k
        self._call("set_pose_vector", poses, time_ns)

    def step(self, count: int, time_ns: int) -> None:
        """Advance by a number of steps and pause; does nothing if Gazebo runs by itself."""
        if count < 1 or not self._is_paused:
            return
        control = self._gz.message("world_control_pb2", "WorldControl")()
        control.pause, control.multi_step = True, count
        self._call("control", control, time_ns)

    def remove(self, entities: list[Entity]) -> None:
        """Remove the models."""
        kind = self._gz.message("entity_pb2", "Entity")
        for entity in entities:
            request = kind()
            request.name, request.type = _name(entity), kind.MODEL
            self._call("remove", request, 0)

    def _call(self, service: str, request: Any, time_ns: int) -> None:
        response_type = self._gz.message("boolean_pb2", "Boolean")
        name = f"/world/{self._world}/{service}"
        done, response = self._node.request(
            name, request, type(request), response_type, _DEADLINE_MS
        )
        if not done or not response.data:
            words = "rejected it" if done else f"did not respond within {_DEADLINE_MS / 1000:g} s"
            raise RunFailed("gazebo_view", service, time_ns, f"the running Gazebo {words} ({name})")


def picture(entity: Entity, pose: list[float], folder: Path) -> str:
    """Return an entity's visuals as an SDFormat model without gravity and collisions."""
    sdf = ET.Element("sdf", version="1.9")
    model = ET.SubElement(sdf, "model", name=_name(entity))
    add_pose(model, pose)
    link = ET.SubElement(model, "link", name="link")
    add(link, "gravity", "false")  # not <static>, which Gazebo would not move
    for i, shape in enumerate(entity.shapes):
        visual = ET.SubElement(link, "visual", name=f"shape_{i}")
        add_pose(visual, shape.pose)
        _add_geometry(
            ET.SubElement(visual, "geometry"), shape, folder / f"{len(list(folder.iterdir()))}.obj"
        )
        material = ET.SubElement(visual, "material")
        for light in ("ambient", "diffuse"):
            add(material, light, numbers(shape.rgba))
    return ET.tostring(sdf, "unicode")


def _add_geometry(geometry: ET.Element, shape: Shape, file: Path) -> None:
    if shape.vertices is None or shape.faces is None:
        add_shape(geometry, shape.kind, shape.size)
        return
    write_mesh(file, shape.vertices, shape.faces)
    add_mesh(geometry, file)


def _name(entity: Entity) -> str:
    return "twin " + entity.name.replace("::", " ")


def _has_pose(scene: Snapshot, entity: Entity) -> bool:
    try:
        scene.pose(entity.name)
    except KeyError:
        return False
    return True
