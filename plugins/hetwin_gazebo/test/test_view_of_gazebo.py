"""The twin in a running Gazebo; a real server, or nothing."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.gazebo_servers import gazebo_server, needs_gazebo
from support.scene_of import scene_of
from support.waiting import PATIENCE_S, wait_until

from hetwin_gazebo.bindings import gazebo, installed_release
from hetwin_gazebo.view import GazeboView
from hetwin_suite.model import BadInput, Entity, EntityKind, Shape, ShapeKind, Snapshot, Tick
from hetwin_suite.runs import Conductor, RunOptions, load_scenario, session
from hetwin_testing.suite import check_model
from model_nodes.main_physics.engines.factory import engine_names

TWIN_WORLD = """<sdf version="1.9"><world name="twin"><model name="ball"><pose>0 0 1 0 0 0</pose>
<link name="link"><collision name="c"><geometry><sphere><radius>0.05</radius></sphere></geometry></collision>
<visual name="v"><geometry><sphere><radius>0.05</radius></sphere></geometry></visual></link></model></world></sdf>"""
SCENARIO = """scenario: shown
world: twin.sdf
models:
  physics: {type: main_physics, main: true, engine: ENGINE}
  view: {type: gazebo_view, rate: 50, parameters: VIEW}
responsibilities:
  - {entity: "*", attribute: pose, model: physics}
"""


@pytest.fixture
def partition(tmp_path: Path) -> Iterator[str]:
    """The partition of a `gz sim` server that is paused."""
    name = f"hetwin_test_{os.getpid()}"
    with gazebo_server(tmp_path, name):
        yield name


LISTENER = """
import json, sys, time
from hetwin_gazebo.bindings import gazebo

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
while (told["time"] < last or "twin ball" in told["names"]) and time.monotonic() < end:
    time.sleep(0.02)
print(json.dumps(told), flush=True)
"""
"""In a process of its own: a Gazebo that is asked for something in Python cannot be heard there meanwhile."""


def conductor_with(engine: str, view: dict[str, Any], folder: Path) -> Conductor:
    """The conductor of a run of 0.4 s, in which a ball falls."""
    (folder / "twin.sdf").write_text(TWIN_WORLD, "utf-8")
    file = folder / "scenario.yaml"
    file.write_text(
        SCENARIO.replace("VIEW", str(view | {"patience": PATIENCE_S})).replace("ENGINE", engine),
        "utf-8",
    )
    loaded = load_scenario(file)
    return session(loaded, options=RunOptions(duration=0.4))


@needs_gazebo
@pytest.mark.parametrize("engine", engine_names())
def test_the_twin_moves_in_a_running_gazebo_and_steps_it(
    engine: str, partition: str, tmp_path: Path
) -> None:
    conductor = conductor_with(engine, {"partition": partition}, tmp_path)
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
@pytest.mark.parametrize("engine", engine_names())
def test_it_finds_a_gazebo_that_was_started_without_a_partition(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Users set none, and the engine, which is made before the view, must not change what the view finds.
    monkeypatch.delenv("GZ_PARTITION", raising=False)
    world = f"shown_{os.getpid()}"
    with gazebo_server(tmp_path, None, world):
        summary = conductor_with(engine, {"world": world}, tmp_path).run()
    assert summary.error is None
    assert "GZ_PARTITION" not in os.environ


@needs_gazebo
@pytest.mark.parametrize("engine", engine_names())
def test_it_does_not_show_the_twin_in_the_engines_own_world(
    engine: str, partition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GZ_PARTITION", partition)  # the user's: of the engine, too
    summary = conductor_with(engine, {}, tmp_path).run()
    assert summary.error is None
    assert not [event for event in summary.events if event["name"] == "view_lost"]


@needs_gazebo
def test_it_keeps_the_contract(partition: str) -> None:
    results = check_model("gazebo_view", {"partition": partition, "patience": PATIENCE_S})
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []


@needs_gazebo
def test_a_partition_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match=r"gazebo_view\.partition.*not one"):
        GazeboView().contribute({"partition": "not one"}, 0)


@needs_gazebo
def test_without_a_running_gazebo_the_view_says_what_to_start() -> None:
    with pytest.raises(BadInput, match="gz sim"):
        GazeboView().contribute({"partition": "nobody_is_here", "patience": 0.3}, 0)


def test_without_gazebo_the_view_says_so() -> None:
    if installed_release() is not None:
        pytest.skip("Gazebo is installed here")
    with pytest.raises(BadInput, match="bindings are not installed"):
        GazeboView().contribute({}, 0)


def tick(scene: Snapshot, number: int) -> Tick:
    """A step of the view."""
    return Tick(number * 40_000_000, 40_000_000, scene)


@needs_gazebo
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_a_gazebo_that_is_closed_and_started_again_shows_the_twin_again(
    ending: signal.Signals, tmp_path: Path
) -> None:
    name = f"hetwin_test_{os.getpid()}_{ending}"
    ball = Entity("ball", EntityKind.OBJECT, shapes=(Shape(ShapeKind.SPHERE, (0.05,)),))
    scene = scene_of([ball], {"ball": np.array((0, 0, 1.0, 1, *[0.0] * 9))})
    view, events, numbers = GazeboView(), list[str](), itertools.count(1)

    def step() -> list[str]:
        events.extend(event.name for event in view.step(tick(scene, next(numbers))).events)
        return events

    with gazebo_server(tmp_path, name) as server:
        view.contribute({"partition": name, "patience": PATIENCE_S}, 0)
        view.start(scene)
        assert step() == []
        os.killpg(server.pid, ending)
        server.wait(10)
        wait_until(step, "view_lost")
    before = time.monotonic()
    for _ in range(20):
        step()
    assert time.monotonic() - before < 10.0  # nothing is waited for while Gazebo is not there
    assert events == ["view_lost"]
    with gazebo_server(tmp_path, name):
        wait_until(lambda: len(step()) > 1, "view_back")
        assert events == ["view_lost", "view_back"]
        node = gazebo().transport.Node(node_options(name))
        wait_until(lambda: "twin ball" in shown_models(node), "the ball in the new Gazebo")
        view.stop()
        wait_until(lambda: "twin ball" not in shown_models(node), "no ball any more")


def node_options(partition: str) -> Any:
    """Options of a node in a partition."""
    options = gazebo().transport.NodeOptions()
    options.partition = partition
    return options


def shown_models(node: Any) -> list[str]:
    """The models in the world `shown`; empty if nobody says."""
    empty, scene = gazebo().message("empty_pb2", "Empty"), gazebo().message("scene_pb2", "Scene")
    done, told = node.request("/world/shown/scene/info", empty(), empty, scene, 1000)
    return [model.name for model in told.model] if done else []
