"""The services of a Gazebo in another process."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hetwin_gazebo.bindings import Gazebo, hetwin_worlds, transport_node
from hetwin_gazebo.server.state import EntityTree, WorldState, encode_values, type_id
from hetwin_gazebo.view.pictures import gazebo_name, picture_sdf
from hetwin_gazebo.view.robots import ShownRobot
from hetwin_suite.model import BadInput, Entity, Snapshot
from hetwin_suite.runs import HetwinError

_CREATE = re.compile(r"/world/([^/]+)/create_multiple")
_TIMEOUT_MS = 1000
_SEARCH_PERIOD_S = 0.2


class NoResponse(HetwinError):
    """The running Gazebo has ended, hangs, or rejects a request; the text has the reason."""


class RunningGazebo:
    """A world of a running Gazebo, in which models are shown.

    Args:
        gz: Gazebo's modules.
        partition: partition of the running Gazebo; None: the environment's, or Gazebo's default.
        world: name of the world; None: the only one.

    Raises:
        BadInput: if the partition's name is invalid.
    """

    def __init__(self, gz: Gazebo, partition: str | None, world: str | None) -> None:
        self._gz, self._requested_world = gz, world
        self._node, self._partition = transport_node(partition, "gazebo_view.partition")
        self._world = ""
        self._is_paused = False
        self._statistics_received = threading.Event()
        self._statistics_topic = ""
        self._searched_at = 0.0
        self._joints: dict[str, Mapping[str, int]] = {}

    def find(self, patience_s: float) -> None:
        """Wait for the world.

        Raises:
            BadInput: if there is no such world, or there are several and none is named.
        """
        deadline = time.monotonic() + patience_s
        worlds = self._worlds()
        while self._select(worlds) is None and time.monotonic() < deadline:
            time.sleep(0.05)
            worlds = self._worlds()
        self._world = self._select(worlds) or ""
        if not self._world:
            raise self._no_world(worlds)
        self._listen()
        self._statistics_received.wait(patience_s)
        self._stop_listening()

    def _worlds(self) -> list[str]:
        """Return the worlds of the partition, except the one that the twin's own engine simulates."""
        services = self._node.service_list()
        worlds = {match[1] for name in services if (match := _CREATE.fullmatch(name))}
        return sorted(worlds - hetwin_worlds(self._node.topic_list()))

    def _select(self, worlds: list[str]) -> str | None:
        if self._requested_world is not None:
            return self._requested_world if self._requested_world in worlds else None
        return worlds[0] if len(worlds) == 1 else None

    def _no_world(self, worlds: list[str]) -> BadInput:
        several = worlds and self._requested_world is None
        return BadInput(
            "several worlds run in Gazebo" if several else "no such world runs in Gazebo",
            where="gazebo_view.world",
            found=self._requested_world or ", ".join(worlds) or None,
            expected=", ".join(worlds)
            or f"a running Gazebo in the partition {self._partition}, such as: gz sim empty.sdf",
        )

    def _listen(self) -> None:
        """Subscribe to statistics, which show whether Gazebo runs and whether it is paused.

        The subscription must end before the next request: a request blocks the delivery of messages to Python, and
        Gazebo receives responses in the same thread as messages.
        """

        def on_statistics(statistics: Any) -> None:
            self._is_paused = bool(statistics.paused)
            self._statistics_received.set()

        self._statistics_received.clear()
        self._statistics_topic = f"/world/{self._world}/stats"
        kind = self._gz.message("world_stats_pb2", "WorldStatistics")
        self._node.subscribe(kind, self._statistics_topic, on_statistics)

    def _stop_listening(self) -> None:
        if self._statistics_topic:
            self._node.unsubscribe(self._statistics_topic)
            self._statistics_topic = ""

    def is_back(self) -> bool:
        """Whether the world runs, or runs again since `NoResponse` was raised; does not wait."""
        now = time.monotonic()
        if now - self._searched_at < _SEARCH_PERIOD_S:
            return False
        self._searched_at = now
        world = self._select(self._worlds())
        if world is None:
            self._stop_listening()
            return False
        if not self._statistics_topic or world != self._world:
            self._stop_listening()
            self._world = world
            self._listen()
            return False
        if not self._statistics_received.is_set():
            return False
        self._stop_listening()
        return True

    def create(
        self,
        entities: Sequence[Entity],
        robots: Sequence[ShownRobot],
        scene: Snapshot,
        folder: Path,
    ) -> None:
        """Create a model without collisions for each entity and each robot."""
        self._joints = {}
        factories = self._gz.message("entity_factory_v_pb2", "EntityFactory_V")()
        for entity in entities:
            factory = factories.data.add()
            factory.name = gazebo_name(entity)
            factory.sdf = picture_sdf(entity, scene.pose(entity.name)[:7].tolist(), folder)
        for robot in robots:
            factory = factories.data.add()
            factory.name = gazebo_name(robot.entity)
            factory.sdf = robot.sdf(scene, folder)
        self._call("create_multiple", factories)

    def move(self, entities: Sequence[Entity], scene: Snapshot) -> None:
        """Set the poses of the models."""
        poses = self._gz.message("pose_v_pb2", "Pose_V")()
        for entity in entities:
            x, y, z, w, i, j, k = scene.pose(entity.name)[:7].tolist()
            pose = poses.pose.add()
            pose.name = gazebo_name(entity)
            pose.position.x, pose.position.y, pose.position.z = x, y, z
            orientation = pose.orientation
            orientation.w, orientation.x, orientation.y, orientation.z = w, i, j, k
        self._call("set_pose_vector", poses)

    def step(self, robots: Sequence[ShownRobot], scene: Snapshot, count: int) -> None:
        """Move the joints; advance by a number of steps and pause, unless Gazebo runs by itself."""
        steps = count if self._is_paused else 0
        if not robots and steps < 1:
            return
        request = self._gz.message("world_control_state_pb2", "WorldControlState")()
        request.world_control.pause = self._is_paused
        request.world_control.multi_step = max(0, steps)
        for robot in robots:
            joints = self._joints_of(robot)
            for name, position in robot.positions(scene).items() if joints else ():
                reset = request.state.entities.add(id=joints[name]).components
                reset.add(type=type_id("JointPositionReset"), component=encode_values([position]))
        self._call("control/state", request)

    def _joints_of(self, robot: ShownRobot) -> Mapping[str, int]:
        """Return joint -> its entity; empty until Gazebo has created the robot."""
        name = gazebo_name(robot.entity)
        if name not in self._joints:
            empty = self._gz.message("empty_pb2", "Empty")()
            kind = self._gz.message("serialized_map_pb2", "SerializedStepMap")
            tree = EntityTree(WorldState(self._request("state", empty, kind)))
            if name in tree.models:
                self._joints[name] = tree.children(tree.models[name], "Joint")
        return self._joints.get(name, {})

    def remove(self, entities: Sequence[Entity]) -> None:
        """Remove the models."""
        kind = self._gz.message("entity_pb2", "Entity")
        for entity in entities:
            request = kind()
            request.name, request.type = gazebo_name(entity), kind.MODEL
            self._call("remove", request)

    def _call(self, service: str, request: Any) -> None:
        response = self._request(service, request, self._gz.message("boolean_pb2", "Boolean"))
        if not response.data:
            raise NoResponse(f"the running Gazebo rejected /world/{self._world}/{service}")

    def _request(self, service: str, request: Any, kind: Any) -> Any:
        name = f"/world/{self._world}/{service}"
        # A request to a Gazebo that has ended would wait until its deadline.
        if not self._node.service_info(name):
            raise NoResponse(f"the running Gazebo has ended: nothing provides {name}")
        done, response = self._node.request(name, request, type(request), kind, _TIMEOUT_MS)
        if not done:
            deadline = f"within {_TIMEOUT_MS / 1000:g} s"
            raise NoResponse(f"the running Gazebo did not respond to {name} {deadline}")
        return response
