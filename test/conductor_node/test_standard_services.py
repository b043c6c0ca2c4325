"""The conductor as the ROS standard for simulators has it: package simulation_interfaces."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rclpy.action import ActionClient
from support.ros_domains import new_domain
from support.ros_runs import environment, toy
from support.watcher import Watcher, watching

simulation_interfaces = pytest.importorskip(
    "simulation_interfaces", reason="simulation_interfaces is not installed"
)

from simulation_interfaces.action import SimulateSteps  # noqa: E402
from simulation_interfaces.msg import (  # noqa: E402
    Bounds,
    EntityCategory,
    EntityFilters,
    EntityState,
    Result,
    SimulationState,
    SimulatorFeatures,
    TagsFilter,
)
from simulation_interfaces.srv import (  # noqa: E402
    DeleteEntity,
    GetEntities,
    GetEntitiesStates,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetNamedPoses,
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetEntityState,
    SetSimulationState,
    SpawnEntity,
    StepSimulation,
)

STOPPED, PLAYING = SimulationState.STATE_STOPPED, SimulationState.STATE_PLAYING
PAUSED, QUITTING = SimulationState.STATE_PAUSED, SimulationState.STATE_QUITTING
OK = Result.RESULT_OK
OVER = SetSimulationState.Response.STATE_TRANSITION_ERROR
"""The answer of a run that is so short that it is over before it is seen to play."""
BALL = """
<sdf version="1.10"><model name="marble"><link name="link">
  <inertial><mass>0.01</mass></inertial>
  <collision name="c"><geometry><sphere><radius>0.01</radius></sphere></geometry></collision>
</link></model></sdf>
"""


class Client:
    """Calls the services by their types."""

    def __init__(self, watcher: Watcher, domain: int) -> None:
        self.watcher = watcher
        self.domain = domain

    def __call__(self, kind: Any, **fields: Any) -> Any:
        name = "".join(f"_{c.lower()}" if c.isupper() else c for c in kind.__name__)
        return self.watcher.call(kind, f"/hetwin/{name.lstrip('_')}", kind.Request(**fields))

    def go(self, state: int) -> Any:
        wanted = SimulationState(state=state)
        return self(SetSimulationState, state=wanted).result

    def state(self) -> int:
        return int(self(GetSimulationState).state.state)

    def height(self, entity: str) -> float:
        answer = self(GetEntityState, entity=entity)
        assert answer.result.result == OK, answer.result.error_message
        return float(answer.state.pose.position.z)

    def time(self) -> float:
        stamp = self(GetEntityState, entity="box").state.header.stamp
        return float(stamp.sec + stamp.nanosec / 1e9)


def with_resource(request: Any, **fields: str) -> Any:
    """Set uri or resource_string, where this version of the standard has them."""
    resource = getattr(request, "entity_resource", request)
    for name, value in fields.items():
        setattr(resource, name, value)
    return request


@contextmanager
def conductor(folder: Path, *parameters: str) -> Iterator[tuple[Client, subprocess.Popen[str]]]:
    """A conductor that waits to be told what to do."""
    domain = new_domain()
    given = [word for p in ("in_process:=all", f"out:={folder}", *parameters) for word in ("-p", p)]
    process = subprocess.Popen(
        [sys.executable, "-m", "conductor_node.main", "--ros-args", *given],
        env=environment(domain),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        with watching(domain, process) as watcher:
            service = watcher.node.create_client(GetSimulationState, "/hetwin/get_simulation_state")
            watcher.wait(service.service_is_ready, "the standard's services")
            yield Client(watcher, domain), process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=30)


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """The demo, held before its first step."""
    folder = tmp_path_factory.mktemp("runs")
    with conductor(folder, "scenario:=pick_and_place") as (client, _):
        assert client.state() == STOPPED
        answer = client(GetEntities)
        assert answer.result.result == Result.RESULT_INCORRECT_STATE
        assert "no scene yet" in answer.result.error_message
        assert client.go(PAUSED).result == OK
        yield client
        assert client.go(QUITTING).result == OK


def test_what_it_can_do_is_what_is_offered(paused: Client) -> None:
    features = paused(GetSimulatorFeatures).features
    known = {SimulatorFeatures.SPAWNING, SimulatorFeatures.STEP_SIMULATION_MULTIPLE}
    assert known <= set(features.features)
    assert SimulatorFeatures.NAMED_POSES not in features.features
    assert list(features.spawn_formats) == ["sdf", "urdf"]
    answer = paused(GetNamedPoses)
    assert answer.result.result == Result.RESULT_FEATURE_UNSUPPORTED
    assert "GetSimulatorFeatures" in answer.result.error_message


def test_a_paused_run_is_stepped(paused: Client) -> None:
    assert paused.state() == PAUSED
    before = paused.time()
    assert paused(StepSimulation, steps=1).result.result == OK
    assert paused(StepSimulation, steps=39).result.result == OK
    assert paused.time() == pytest.approx(before + 0.1)
    assert paused.state() == PAUSED
    again = paused.go(PAUSED)
    assert again.result == SetSimulationState.Response.ALREADY_IN_TARGET_STATE


def test_steps_tell_how_far_they_are(paused: Client) -> None:
    before = paused.time()
    heard: list[tuple[int, int]] = []
    client = ActionClient(paused.watcher.node, SimulateSteps, "/hetwin/simulate_steps")
    paused.watcher.wait(client.server_is_ready, "the action simulate_steps")
    sent = client.send_goal_async(
        SimulateSteps.Goal(steps=20),
        feedback_callback=lambda m: heard.append(
            (m.feedback.completed_steps, m.feedback.remaining_steps)
        ),
    )
    paused.watcher.wait(sent.done, "that the goal is accepted")
    answer = sent.result().get_result_async()
    paused.watcher.wait(answer.done, "the result of the steps")
    assert answer.result().result.result.result == OK
    # What comes after the result, or faster than it is taken, is not heard.
    assert heard
    assert all(done + left == 20 for done, left in heard)
    assert heard == sorted(heard)
    assert paused.time() == pytest.approx(before + 0.05)


def names(client: Client, **filters: Any) -> set[str]:
    answer = client(GetEntities, filters=EntityFilters(**filters))
    assert answer.result.result == OK, answer.result.error_message
    return set(answer.entities)


def test_entities_are_found_by_name_kind_tag_and_place(paused: Client) -> None:
    everything = names(paused)
    assert {"box", "tray"} <= everything
    assert names(paused, filter="^bo") == {n for n in everything if n.startswith("bo")}
    robots = names(paused, categories=[EntityCategory(category=EntityCategory.CATEGORY_ROBOT)])
    assert len(robots) == 1
    assert "box" in names(paused, tags=TagsFilter(tags=["graspable"]))
    state = paused(GetEntityState, entity="box").state
    near = Bounds(type=Bounds.TYPE_SPHERE)
    near.points = [type(p)() for p in (state.twist.linear, state.twist.linear)]
    for axis in "xyz":
        setattr(near.points[0], axis, getattr(state.pose.position, axis))
    near.points[1].x = 0.01
    assert "box" in names(paused, bounds=near)
    near.points[0].z += 5.0
    assert names(paused, bounds=near) == set()
    broken = paused(GetEntities, filters=EntityFilters(filter="("))
    assert broken.result.result == Result.RESULT_OPERATION_FAILED
    states = paused(GetEntitiesStates, filters=EntityFilters(filter="^box$"))
    assert list(states.entities) == ["box"]
    assert states.states[0].pose == state.pose


def test_an_entity_is_described(paused: Client) -> None:
    info = paused(GetEntityInfo, entity="box").info
    assert info.category.category == EntityCategory.CATEGORY_DYNAMIC_OBJECT
    assert "graspable" in info.tags
    bounds = paused(GetEntityBounds, entity="box").bounds
    assert bounds.type == Bounds.TYPE_BOX
    upper, lower = bounds.points
    assert (upper.x, upper.y, upper.z) > (lower.x, lower.y, lower.z)
    missing = paused(GetEntityState, entity="ghost").result
    assert missing.result == Result.RESULT_NOT_FOUND
    assert "'ghost'" in missing.error_message


def test_an_object_is_put_elsewhere(paused: Client) -> None:
    before = paused.height("box")
    state = EntityState()
    state.pose.position.z = before + 1.0
    flags = {n: True for n in ("set_pose", "set_twist") if hasattr(SetEntityState.Request(), n)}
    answer = paused(SetEntityState, entity="box", state=state, **flags)
    assert answer.result.result == OK, answer.result.error_message
    assert paused.height("box") == pytest.approx(before + 1.0)
    assert paused(StepSimulation, steps=40).result.result == OK
    assert paused.height("box") == pytest.approx(before + 1.0 - 9.81 * 0.1**2 / 2, abs=0.005)
    state.pose.orientation.w = 0.0
    wrong = paused(SetEntityState, entity="box", state=state, **flags)
    assert wrong.result.result == SetEntityState.Response.INVALID_POSE
    fixed = paused(SetEntityState, entity="tray", state=EntityState(), **flags)
    if fixed.result.result != OK:
        assert "tray" in fixed.result.error_message


def test_spawning_needs_a_stopped_simulation(paused: Client) -> None:
    request = with_resource(SpawnEntity.Request(name="marble"), resource_string=BALL)
    answer = paused.watcher.call(SpawnEntity, "/hetwin/spawn_entity", request)
    assert answer.result.result == Result.RESULT_INCORRECT_STATE
    assert "while the simulation is stopped" in answer.result.error_message


def test_a_session_from_spawning_to_quitting(tmp_path: Path) -> None:
    with conductor(tmp_path, "scenario:=pick_and_place", "duration:=0.5") as (client, process):
        spawn = with_resource(SpawnEntity.Request(), resource_string=BALL)
        spawn.initial_pose.pose.position.z = 2.0

        def spawned() -> Any:
            return client.watcher.call(SpawnEntity, "/hetwin/spawn_entity", spawn)

        assert spawned().entity_name == "marble"
        assert spawned().result.result == SpawnEntity.Response.NAME_NOT_UNIQUE
        spawn.allow_renaming = True
        assert spawned().entity_name == "marble_2"
        assert client(DeleteEntity, entity="marble_2").result.result == OK
        assert client(DeleteEntity, entity="box").result.result == Result.RESULT_NOT_FOUND

        assert client.go(PAUSED).result == OK
        assert client.height("marble") == 2.0
        assert client(StepSimulation, steps=80).result.result == OK
        fallen = client.height("marble")
        assert fallen < 1.95
        assert client(ResetSimulation, scope=ResetSimulation.Request.SCOPE_TIME).result.result == 0
        both = ResetSimulation.Request.SCOPE_TIME | ResetSimulation.Request.SCOPE_STATE
        assert client(ResetSimulation, scope=both).result.result == OK
        assert client.state() == PAUSED
        assert client.height("marble") == 2.0
        assert client(StepSimulation, steps=80).result.result == OK
        assert client.height("marble") == fallen  # to the bit
        late = client(StepSimulation, steps=1000).result
        assert late.result == Result.RESULT_OPERATION_FAILED
        assert "ended after 120 of 1000 steps" in late.error_message
        assert client.state() == STOPPED

        assert client(ResetSimulation).result.result == OK  # everything, spawned objects too
        assert client.go(PLAYING).result == OK
        assert client(GetEntityState, entity="marble").result.result in (
            Result.RESULT_NOT_FOUND,
            Result.RESULT_INCORRECT_STATE,  # the short run is over already
        )
        assert client.go(QUITTING).result == OK
        assert process.wait(30) == 0


def test_nodes_that_ended_with_a_run_are_started_for_the_next(tmp_path: Path) -> None:
    scenario = toy(tmp_path, until=0.2)
    parameters = (f"scenario:={scenario}", "in_process:=physics,cup")
    with conductor(tmp_path / "runs", *parameters) as (client, process):
        node = [sys.executable, "-m", "model_nodes.ros_node", "--ros-args"]
        node += ["-r", "__node:=grasp", "-p", "type:=support.toys:ToyGrasp"]
        with subprocess.Popen(node, env=environment(client.domain)) as grasp:
            for _ in range(2):
                assert client.go(PLAYING).result in (OK, OVER)
                client.watcher.wait(lambda: client.state() == STOPPED, "a stopped simulation")
            assert grasp.wait(30) == 0
        assert client.go(QUITTING).result == OK
        assert process.wait(30) == 0
    assert len(list((tmp_path / "runs").glob("*/summary.json"))) == 2


def test_a_start_that_fails_says_why(tmp_path: Path) -> None:
    with conductor(tmp_path, "scenario:=pick_and_place") as (client, _):
        request = with_resource(SpawnEntity.Request(name="box"), resource_string=BALL)
        answer = client.watcher.call(SpawnEntity, "/hetwin/spawn_entity", request)
        assert answer.result.result == OK
        refused = client.go(PLAYING)
        assert refused.result == SetSimulationState.Response.STATE_TRANSITION_ERROR
        assert "both use the name 'box'" in refused.error_message
        assert client.state() == STOPPED


def test_the_twin_of_a_live_robot_says_that_it_cannot_be_paused(tmp_path: Path) -> None:
    with conductor(tmp_path, "scenario:=pick_and_place", "source:=live") as (client, _):
        features = set(client(GetSimulatorFeatures).features.features)
        assert SimulatorFeatures.SIMULATION_STATE_SETTING in features
        assert SimulatorFeatures.SIMULATION_STATE_PAUSE not in features
        assert SimulatorFeatures.SIMULATION_RESET not in features
        refused = client.go(PAUSED)
        assert refused.result == SetSimulationState.Response.STATE_TRANSITION_ERROR
        assert "the robot does not wait" in refused.error_message
        assert client.state() == STOPPED
