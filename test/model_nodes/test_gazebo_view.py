"""The twin in a running Gazebo; a real server, or nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conformance.suite import check_model_type
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_core.ensemble.transport.local import LocalPort
from model_nodes.gazebo_view import GazeboView
from model_nodes.main_physics.engines.factory import ENGINES
from model_nodes.main_physics.engines.gz.bindings import installed

GAZEBO_WORLD = """<sdf version="1.9"><world name="shown">
<plugin filename="gz-sim-user-commands-system" name="gz::sim::systems::UserCommands"/>
<plugin filename="gz-sim-scene-broadcaster-system" name="gz::sim::systems::SceneBroadcaster">
<dynamic_pose_hertz>10000</dynamic_pose_hertz></plugin>
<plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics"/>
</world></sdf>"""
TWIN_WORLD = """<sdf version="1.9"><world name="twin"><model name="ball"><pose>0 0 1 0 0 0</pose>
<link name="link"><collision name="c"><geometry><sphere><radius>0.05</radius></sphere></geometry></collision>
<visual name="v"><geometry><sphere><radius>0.05</radius></sphere></geometry></visual></link></model></world></sdf>"""
SCENARIO = """scenario: shown
world: twin.sdf
models:
  physics: {type: main_physics, main: true, engine: ENGINE}
  view: {type: gazebo_view, rate: 50, parameters: {partition: PARTITION}}
responsibilities:
  - {entity: "*", attribute: pose, model: physics}
"""

needs_gazebo = pytest.mark.skipif(
    installed() is None, reason="Gazebo's Python bindings are not installed"
)


@pytest.fixture
def partition(tmp_path: Path) -> Iterator[str]:
    """The partition of a `gz sim` server that is paused."""
    command = shutil.which("gz")
    if command is None:
        pytest.skip("the command gz is not installed")
    name = f"hetwin_test_{os.getpid()}"
    world = tmp_path / "shown.sdf"
    world.write_text(GAZEBO_WORLD, "utf-8")
    server = subprocess.Popen(
        [command, "sim", "-s", "-v", "1", str(world)],
        env={**os.environ, "GZ_PARTITION": name, "GZ_IP": "127.0.0.1"},
        start_new_session=True,
    )
    yield name
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


LISTENER = """
import json, sys, time
from model_nodes.main_physics.engines.gz.bindings import gazebo

gz = gazebo()
options = gz.transport.NodeOptions()
options.partition = sys.argv[1]
node = gz.transport.Node(options)
told = {"heights": [], "names": [], "time": 0.0}


def hear(message):
    told["names"] = [pose.name for pose in message.pose]


def hear_moving(message):
    told["heights"] += [p.position.z for p in message.pose if p.name == "twin ball"]


def hear_time(message):
    told["time"] = message.sim_time.sec + 1e-9 * message.sim_time.nsec


poses, statistics = gz.message("pose_v_pb2", "Pose_V"), gz.message("world_stats_pb2", "WorldStatistics")
assert node.subscribe(poses, "/world/shown/pose/info", hear)
assert node.subscribe(poses, "/world/shown/dynamic_pose/info", hear_moving)  # each step; the other one is throttled
assert node.subscribe(statistics, "/world/shown/stats", hear_time)
print("listening", flush=True)
end, last = time.monotonic() + 20, float(sys.stdin.readline())
while told["time"] < last and time.monotonic() < end:
    time.sleep(0.02)
print(json.dumps(told), flush=True)
"""
"""In a process of its own: a Gazebo that is asked for something in Python cannot be heard there meanwhile."""


@needs_gazebo
@pytest.mark.parametrize("engine", ENGINES)
def test_the_twin_moves_in_a_running_gazebo_and_steps_it(
    engine: str, partition: str, tmp_path: Path
) -> None:
    (tmp_path / "twin.sdf").write_text(TWIN_WORLD, "utf-8")
    file = tmp_path / "scenario.yaml"
    file.write_text(SCENARIO.replace("PARTITION", partition).replace("ENGINE", engine), "utf-8")
    loaded = load_scenario(file)
    conductor = Conductor(
        loaded, [LocalPort(plan) for plan in loaded.models], [], RunOptions(duration=0.4)
    )
    with subprocess.Popen(
        [sys.executable, "-c", LISTENER, partition],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as listener:
        assert listener.stdout is not None
        assert listener.stdout.readline() == "listening\n"
        summary = conductor.run()
        out, _ = listener.communicate("0.35\n", timeout=40)  # it waits for the last messages
    assert summary.error is None
    told = json.loads(out)
    assert told["time"] == pytest.approx(0.4, abs=0.05)
    assert told["heights"][0] > told["heights"][-1]
    assert min(told["heights"]) == pytest.approx(1 - 9.81 * 0.4**2 / 2, abs=0.1)
    assert "twin ball" not in told["names"]


@needs_gazebo
def test_it_keeps_the_contract(partition: str) -> None:
    results = check_model_type("gazebo_view", {"partition": partition})
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []


@needs_gazebo
def test_a_partition_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match=r"gazebo_view\.partition.*not one"):
        GazeboView().initialize({"partition": "not one"}, 0)


@needs_gazebo
def test_without_a_running_gazebo_the_view_says_what_to_start() -> None:
    with pytest.raises(BadInput, match="gz sim"):
        GazeboView().initialize({"partition": "nobody_is_here", "patience": 0.3}, 0)


def test_without_gazebo_the_view_says_so() -> None:
    if installed() is not None:
        pytest.skip("Gazebo is installed here")
    with pytest.raises(BadInput, match="bindings are not installed"):
        GazeboView().initialize({}, 0)
