"""What others see of a run in the ROS graph."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

from lifecycle_msgs.srv import GetState
from rosgraph_msgs.msg import Clock
from support.ros_runs import IN_PROCESS, environment, finish, running, toy
from support.waiting import wait_until
from support.watcher import watching

from hetwin.msg import Registry, Responsibilities, SceneState


def test_a_late_subscriber_sees_nodes_registry_and_responsibilities_at_once(tmp_path: Path) -> None:
    scenario = toy(tmp_path, until=60.0, pace=0.003)
    with (
        running(scenario, tmp_path / "run", "--in-process", "physics") as (process, domain),
        watching(domain, process) as watcher,
    ):
        states = watcher.listen(SceneState, "/hetwin/state")
        clocks = watcher.listen(Clock, "/clock")
        watcher.wait(lambda: len(states) > 30, "30 states")  # well into the run
        watcher.wait(lambda: len(clocks) > 30, "30 times")

        registries = watcher.listen(Registry, "/hetwin/registry", latched=True)
        tables = watcher.listen(Responsibilities, "/hetwin/responsibilities", latched=True)
        watcher.wait(lambda: registries, "the registry")
        watcher.wait(lambda: tables, "the table of responsibilities")
        assert [m.name for m in registries[0].models] == ["physics", "grasp", "cup"]
        assert {e["name"] for e in json.loads(registries[0].layout)["entities"]} == {
            "hand",
            "ball",
            "cup",
        }
        owners = {(r.entity, r.attribute): r.model for r in tables[-1].responsibilities}
        assert owners["cup", "temperature"] == "cup"
        assert owners["hand", "pose"] == "physics"
        watcher.wait_for_nodes("/conductor", "/grasp", "/cup")

        state = watcher.call(GetState, "/grasp/get_state", GetState.Request())
        assert state.current_state.label == "active"
        process.send_signal(signal.SIGINT)
        assert finish(process).code == 130
    times = [s.stamp.sec + s.stamp.nanosec * 1e-9 for s in states]
    assert times == sorted(times)


VIEWER = """
import sys
from pathlib import Path
import rclpy
from hetwin.msg import SceneState
rclpy.init()
node = rclpy.create_node("viewer")
node.create_subscription(SceneState, "/hetwin/state", lambda m: Path(sys.argv[1]).touch(), 10)
rclpy.spin(node)
"""


def test_killing_a_viewer_disturbs_nothing(tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    scenario = toy(tmp_path, slow_until=killed)
    with running(scenario, tmp_path / "run", *IN_PROCESS) as (process, domain):
        seen = tmp_path / "seen"
        viewer = subprocess.Popen(
            [sys.executable, "-c", VIEWER, str(seen)], env=environment(domain)
        )
        try:
            wait_until(seen.exists, "a state that the viewer has seen", process=process)
        finally:
            viewer.kill()
            viewer.wait()
        killed.touch()
        ended = finish(process)
    assert ended.code == 0
    assert ended.json["ended"] == "recording"
