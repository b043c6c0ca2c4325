"""The services of the standard ``simulation_interfaces``, each a thin layer over the conductor."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import simulation_interfaces.srv
from rclpy.action import ActionServer, CancelResponse
from rclpy.qos import QoSProfile
from rclpy.task import Future
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import SimulatorFeatures as Known
from simulation_interfaces.srv import SetEntityState

from conductor_node.standard import entities
from conductor_node.standard.entities import (
    RequestRefused,
    bounding_box,
    fill_box,
    fill_ok,
    fill_refusal,
    not_found,
    operation_failed,
    unsupported,
    wrong_state,
)
from conductor_node.standard.run_control import STOPPED, RunControl
from conductor_node.standard.spawning import Spawning, pose_numbers
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import is_live
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, WORLD
from hetwin_core.wire.names import SERVICE_DEPTH, STANDARD

FEATURES = (
    "SPAWNING",
    "DELETING",
    "SPAWNING_RESOURCE_STRING",
    "SPAWNING_ENTITIES",
    "ENTITY_TAGS",
    "ENTITY_BOUNDS",
    "ENTITY_BOUNDS_BOX",
    "ENTITY_CATEGORIES",
    "ENTITY_STATE_GETTING",
    "ENTITY_STATE_SETTING",
    "ENTITY_INFO_GETTING",
    "SIMULATION_STATE_GETTING",
    "SIMULATION_STATE_SETTING",
    "WORLD_INFO_GETTING",
)
FEATURES_UNLESS_LIVE = (
    "SIMULATION_RESET",
    "SIMULATION_STATE_PAUSE",
    "STEP_SIMULATION_SINGLE",
    "STEP_SIMULATION_MULTIPLE",
    "STEP_SIMULATION_ACTION",
)
"""Features that are not offered while the twin follows a live robot, which can be neither paused nor reset."""
FORMATS = ("sdf", "urdf")
NOTES = (
    "Objects are spawned and deleted while the simulation is stopped, and appear when it plays."
    " Time and state are reset together, for runs that no client of the action hetwin/simulate has started."
    " Accelerations are reported as 0."
)


def fill_features(message: Any, *, live: bool) -> None:
    """Fill in ``SimulatorFeatures`` with those offered features that the installed version of the standard defines."""
    names = FEATURES if live else (*FEATURES, *FEATURES_UNLESS_LIVE)
    message.features = sorted(getattr(Known, name) for name in names if hasattr(Known, name))
    message.spawn_formats = list(FORMATS)
    try:
        release = version("hetwin-suite")
    except PackageNotFoundError:
        release = "of this colcon workspace"
    message.custom_info = f"hetwin {release}. {NOTES}"


class StandardServices:
    """Offers every service of the installed version of the standard; unsupported ones return the reason.

    Args:
        node: the conductor's node.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self._run_control = RunControl(node)
        self._spawning = Spawning(node.spawned)
        handlers: dict[str, Callable[[Any, Any], Any]] = {
            "GetSimulatorFeatures": self._features,
            "GetSimulationState": self._get_state,
            "SetSimulationState": self._set_state,
            "StepSimulation": self._step,
            "ResetSimulation": self._reset,
            "GetEntities": self._entities,
            "GetEntitiesStates": self._entities_states,
            "GetEntityState": self._entity_state,
            "SetEntityState": self._set_entity_state,
            "GetEntityInfo": self._entity_info,
            "GetEntityBounds": self._entity_bounds,
            "SpawnEntity": self._spawn,
            "SpawnEntities": self._spawn_all,
            "DeleteEntity": self._delete,
            "GetCurrentWorld": self._world,
        }
        for name in sorted(vars(simulation_interfaces.srv)):
            if re.fullmatch("[A-Z][A-Za-z]+", name):  # the types of requests have an underscore
                self._offer(
                    getattr(simulation_interfaces.srv, name), handlers.get(name, _not_supported)
                )
        self._action = ActionServer(
            node,
            SimulateSteps,
            STANDARD + "simulate_steps",
            execute_callback=self._simulate_steps,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def _offer(self, kind: Any, handler: Callable[[Any, Any], Any]) -> None:
        async def respond(request: Any, response: Any) -> Any:
            try:
                pending = handler(request, response)
                if inspect.isawaitable(pending):
                    await pending
                if hasattr(response, "result"):
                    fill_ok(response.result)
            except RequestRefused as refusal:
                fill_refusal(response.result, refusal)
            except Exception as error:  # a faulty request must not end the run
                text = f"{kind.__name__}: {type(error).__name__}: {error}"
                self._node.get_logger().error(text)
                if hasattr(response, "result"):
                    fill_refusal(response.result, operation_failed(text))
            return response

        depth = QoSProfile(depth=SERVICE_DEPTH)
        self._node.create_service(
            kind, STANDARD + _snake(kind.__name__), respond, qos_profile=depth
        )

    # ------------------------------------------------------------------ the run

    def _features(self, _: Any, response: Any) -> None:
        fill_features(response.features, live=self._is_live())

    def _is_live(self) -> bool:
        """Whether the current run, or the next one if none is running, follows a live robot."""
        node = self._node
        if node.conductor is not None:
            return bool(node.conductor.is_live)
        try:
            scenario = self._load_scenario(str(node.get_parameter("scenario").value))
            return is_live(scenario, RunOptions(str(node.get_parameter("source").value) or None))
        except BadInput:  # reported at the start
            return False

    def _load_scenario(self, name: str) -> Scenario:
        variant = str(self._node.get_parameter("variant").value) or None
        return load_scenario(find_scenario(name), variant)

    def _get_state(self, _: Any, response: Any) -> None:
        response.state.state = self._run_control.state

    async def _set_state(self, request: Any, _: Any) -> None:
        await self._run_control.set(request.state.state)

    async def _step(self, request: Any, _: Any) -> None:
        await self._run_control.step(request.steps)

    async def _reset(self, request: Any, _: Any) -> None:
        await self._run_control.reset(request.scope)

    async def _simulate_steps(self, goal: Any) -> Any:
        result, steps = SimulateSteps.Result(), goal.request.steps
        try:
            for done in range(1, steps + 1):
                await self._run_control.step(1)
                goal.publish_feedback(
                    SimulateSteps.Feedback(completed_steps=done, remaining_steps=steps - done)
                )
                if goal.is_cancel_requested and done < steps:
                    goal.canceled()
                    fill_refusal(
                        result.result, operation_failed(f"cancelled after {done} of {steps} steps")
                    )
                    return result
        except RequestRefused as refusal:
            goal.abort()
            fill_refusal(result.result, refusal)
            return result
        goal.succeed()
        fill_ok(result.result)
        return result

    # ------------------------------------------------------------------ the scene

    def _scene(self) -> Snapshot:
        scene = self._run_control.running().scene
        assert scene is not None  # `running` has checked it
        return scene

    def _scene_and_entity(self, request: Any) -> tuple[Snapshot, Entity]:
        scene = self._scene()
        return scene, entities.entity_named(scene, request.entity)

    def _entities(self, request: Any, response: Any) -> None:
        response.entities = [
            e.name for e in entities.matching_entities(self._scene(), request.filters)
        ]

    def _entities_states(self, request: Any, response: Any) -> None:
        scene = self._scene()
        matches = entities.matching_entities(scene, request.filters)
        response.states = [entities.state_of(scene, entity) for entity in matches]
        response.entities = [entity.name for entity in matches]

    def _entity_state(self, request: Any, response: Any) -> None:
        response.state = entities.state_of(*self._scene_and_entity(request))

    def _entity_info(self, request: Any, response: Any) -> None:
        _, entity = self._scene_and_entity(request)
        response.info.category.category = entities.CATEGORIES.get(entity.kind, 0)
        response.info.tags = list(entity.tags)
        mass = f", {entity.mass:g} kg" if entity.mass else ""
        response.info.description = f"{entity.kind}{mass}"

    def _entity_bounds(self, request: Any, response: Any) -> None:
        _, entity = self._scene_and_entity(request)
        if entity.kind is EntityKind.ROBOT:
            raise unsupported(
                f"a robot has no bounding box; request that of a link of {entity.name}"
            )
        fill_box(response.bounds, bounding_box(entity))

    async def _set_entity_state(self, request: Any, _: Any) -> None:
        scene, entity = self._scene_and_entity(request)
        wanted = request.state
        if wanted.header.frame_id not in ("", WORLD):
            raise unsupported(f"expected the frame world, not {wanted.header.frame_id!r}")
        if not scene.layout.has(entity.name, POSE.name):
            raise operation_failed(f"{entity.name} has no pose: it is a {entity.kind}")
        data = scene.pose(entity.name).copy()
        # Version 1 of the standard has no flags and sets both.
        if getattr(request, "set_pose", True):
            data[:7] = pose_numbers(wanted.pose, SetEntityState.Response.INVALID_POSE)
        if getattr(request, "set_twist", True):
            linear, angular = wanted.twist.linear, wanted.twist.angular
            data[7:] = linear.x, linear.y, linear.z, angular.x, angular.y, angular.z
        if getattr(request, "set_acceleration", False):
            raise unsupported("accelerations follow from forces; set pose and twist only")
        done: Future = Future()
        try:
            self._run_control.running().place(
                entity.name, POSE.name, np.array(data), done.set_result
            )
        except Refused as refusal:
            raise operation_failed(str(refusal)) from None
        await self._node.deferred.until(done.done)
        if done.result() is not None:
            raise operation_failed(str(done.result()))

    # ------------------------------------------------------------------ the world

    def _check_stopped(self, what: str) -> None:
        if self._run_control.state != STOPPED:
            words = f"{what} only while the simulation is stopped: the content of a run is fixed at its start"
            raise wrong_state(words)

    def _spawn(self, request: Any, response: Any) -> None:
        self._check_stopped("objects are spawned")
        response.entity_name = self._spawning.spawn(request)

    def _spawn_all(self, request: Any, response: Any) -> None:
        self._check_stopped("objects are spawned")
        results = []
        for spawn_request in request.spawn_requests:
            result = simulation_interfaces.msg.SpawnResult()
            try:
                result.entity_name = self._spawning.spawn(spawn_request)
                fill_ok(result.result)
            except RequestRefused as refusal:
                fill_refusal(result.result, refusal)
            results.append(result)
        response.results = results
        refused = sum(result.result.result != 1 for result in results)
        if refused:
            words = f"{refused} of {len(results)} objects were not spawned"
            raise RequestRefused(response.ENTITIES_SPAWN_FAILED, words)

    def _delete(self, request: Any, _: Any) -> None:
        self._check_stopped("objects are deleted")
        self._spawning.delete(request.entity)

    def _world(self, _: Any, response: Any) -> None:
        name = str(self._node.get_parameter("scenario").value)
        if not name:
            raise not_found("no scenario is named")
        try:
            scenario = self._load_scenario(name)
        except BadInput as error:
            raise operation_failed(str(error)) from None
        world = scenario.path_of(scenario.file.world) if scenario.file.world else None
        response.world.name = scenario.name
        response.world.description = f"scenario {scenario.path}"
        # Version 2.0 of the standard renamed the field.
        resource = getattr(response.world, "world_resource", None) or response.world.level_resource
        resource.uri = "" if world is None else world.as_uri()


def _not_supported(_: Any, __: Any) -> None:
    raise unsupported("hetwin does not support this; GetSimulatorFeatures lists what it supports")


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
